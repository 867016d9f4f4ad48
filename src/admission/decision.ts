import { admit, type AdmissionPolicy, type Decision } from '../scanner/admission/admit.js';
import { sha256 } from '../lib/hash.js';
import type { McpConfig } from '../sources/mcp/config.js';
import type { ScanResult, ScanFailure } from './scan/result.js';

/** A reason against a server; its fingerprint is stable when lines move, so that one approval stays valid. */
export interface AdmissionReason {
  readonly decision: Exclude<Decision, 'allow'>;
  readonly why: string;
  readonly mark: string;
}

/** Decision about a source, with its reasons. */
export interface SourceDecision {
  readonly decision: Decision;
  /** Reasons against it, worst first, without accepted ones. */
  readonly reasons: readonly AdmissionReason[];
  /** What could not be analysed, in one sentence. */
  readonly unknown?: string;
}

/** Admission policy of one source; a decision for code that was not followed, and one for a program without source code. */
interface SourcePolicy extends AdmissionPolicy {
  readonly unknown: Decision;
  readonly noSource: Decision;
}

/** Admission policy from the configuration of a source. */
export const admissionPolicyOf = ({ admission, scan }: McpConfig): SourcePolicy => ({
  severity: { critical: scan.critical, high: scan.high, medium: scan.medium, low: scan.low },
  capability: scan.capabilities,
  // Code that was scanned and not followed may do anything, so it waits for approval.
  unknown: scan.unknown ?? 'quarantine',
  // A program without source code was chosen by the operator as it is; only `strict` holds it back by default.
  noSource: scan.unknown ?? (admission === 'strict' ? 'quarantine' : 'allow'),
});

/** Decides about a server by its scan result; `others` are reasons from other checks. A reason that denies cannot be accepted. */
export function decideAdmission(
  read: ScanResult | ScanFailure,
  policy: SourcePolicy,
  accepted: ReadonlySet<string>,
  others: readonly AdmissionReason[] = [],
): SourceDecision {
  const unknown = firstUnknown(read);
  const against =
    'unread' in read
      ? policy.noSource === 'allow'
        ? []
        : [{ decision: policy.noSource, why: read.unread, mark: reasonFingerprint(read.unread) }]
      : admit(
          { ...read, coverage: [], verdict: 'clean', counts: { critical: 0, high: 0, medium: 0, low: 0, note: 0 } },
          policy,
        ).reasons.flatMap(({ decision, why, fingerprint }) =>
          decision === 'allow' ? [] : [{ decision, why, mark: fingerprint ?? reasonFingerprint(why) }],
        );
  const reasons = [...against, ...others]
    .filter(({ decision, mark }) => decision === 'deny' || !accepted.has(mark))
    .toSorted((a, b) => Number(b.decision === 'deny') - Number(a.decision === 'deny'));
  return { decision: reasons[0]?.decision ?? 'allow', reasons, ...(unknown !== undefined && { unknown }) };
}

/** Fingerprint of a reason without line numbers, which change with every edit. */
const reasonFingerprint = (why: string): string => sha256(why.replaceAll(/:\d+/g, '')).slice(0, 32);

function firstUnknown(read: ScanResult | ScanFailure): string | undefined {
  if ('unread' in read) return read.unread;
  const { gaps, surface } = read;
  const [first] = [
    ...gaps.map(({ file, reason }) => `${file} (${reason})`),
    ...surface.unresolved.map(({ reason, location }) => `${reason} (${location.file}:${location.start_line})`),
  ];
  const count = gaps.length + surface.unresolved.length;
  return first === undefined ? undefined : `${first}${count > 1 ? ` and ${count - 1} more` : ''}`;
}
