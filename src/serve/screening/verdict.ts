import { admit, type AdmissionPolicy, type Decision } from '../../scanner/admission/admit.js';
import { sha256 } from '../../lib/hash.js';
import type { McpConfig } from '../mcp-sources.js';
import type { Reading, Unread } from './reading.js';

/** One reason against a server; the mark stays the same when lines move, so that it can be accepted once. */
export interface Reason {
  readonly decision: Exclude<Decision, 'allow'>;
  readonly why: string;
  readonly mark: string;
}

/** What is decided, and why. */
export interface Verdict {
  readonly decision: Decision;
  /** Against it, worst first, without those that somebody has accepted. */
  readonly reasons: readonly Reason[];
  /** What stayed unknown, in one sentence. */
  readonly unknown?: string;
}

/** What a source's configuration decides by. */
export const policyOf = ({ admission, scan }: McpConfig): AdmissionPolicy & { readonly unknown: Decision } => ({
  severity: { critical: scan.critical, high: scan.high, medium: scan.medium, low: scan.low },
  capability: scan.capabilities,
  unknown: scan.unknown ?? (admission === 'strict' ? 'quarantine' : 'allow'),
});

/** Decides about a server by what was read of it; `others` are reasons that come from elsewhere. What is denied cannot be accepted. */
export function judge(
  read: Reading | Unread,
  policy: AdmissionPolicy & { readonly unknown: Decision },
  accepted: ReadonlySet<string>,
  others: readonly Reason[] = [],
): Verdict {
  const unknown = unknownOf(read);
  const against =
    'unread' in read
      ? policy.unknown === 'allow'
        ? []
        : [{ decision: policy.unknown, why: read.unread, mark: markOf(read.unread) }]
      : admit(
          { ...read, verdict: 'clean', counts: { critical: 0, high: 0, medium: 0, low: 0, note: 0 } },
          policy,
        ).reasons.flatMap(({ decision, why, fingerprint }) =>
          decision === 'allow' ? [] : [{ decision, why, mark: fingerprint ?? markOf(why) }],
        );
  const reasons = [...against, ...others]
    .filter(({ decision, mark }) => decision === 'deny' || !accepted.has(mark))
    .toSorted((a, b) => Number(b.decision === 'deny') - Number(a.decision === 'deny'));
  return { decision: reasons[0]?.decision ?? 'allow', reasons, ...(unknown !== undefined && { unknown }) };
}

/** Numbers of lines move; the rest of a reason does not. */
export const markOf = (why: string): string => sha256(why.replaceAll(/:\d+/g, '')).slice(0, 32);

function unknownOf(read: Reading | Unread): string | undefined {
  if ('unread' in read) return read.unread;
  const { gaps, surface } = read;
  const [first] = [
    ...gaps.map(({ file, reason }) => `${file} (${reason})`),
    ...surface.unresolved.map(({ reason, location }) => `${reason} (${location.file}:${location.start_line})`),
  ];
  const count = gaps.length + surface.unresolved.length;
  return first === undefined ? undefined : `${first}${count > 1 ? ` and ${count - 1} more` : ''}`;
}
