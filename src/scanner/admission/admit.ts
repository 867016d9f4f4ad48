import { isOpen, type Capability, type ScanReport } from '../report.js';
import { severities, type Severity } from '../rules/rule.js';

/** What a gateway does with a server after it was read. */
export type Decision = 'allow' | 'quarantine' | 'deny';

/** Which decision each kind of result leads to; what is not named is allowed. */
export interface AdmissionPolicy {
  /** By the worst open finding. */
  readonly severity?: Readonly<Partial<Record<Severity, Decision>>>;
  /** By what any tool can do. */
  readonly capability?: Readonly<Partial<Record<Capability, Decision>>>;
  /** Where something could not be read, parsed, finished or resolved: unknown is not safe. */
  readonly unknown?: Decision;
  /** Fingerprints that an operator has accepted. */
  readonly accepted?: readonly string[];
}

/** What is decided where nothing is configured. */
export const defaultAdmission: AdmissionPolicy = {
  severity: { critical: 'deny', high: 'quarantine' },
  unknown: 'quarantine',
};

/** The decision and every reason for it, worst first. */
export interface Admission {
  readonly decision: Decision;
  readonly reasons: readonly { readonly decision: Decision; readonly why: string; readonly fingerprint?: string }[];
  readonly surfaceHash: string;
}

const order: readonly Decision[] = ['deny', 'quarantine', 'allow'];
const worse = (one: Decision, other: Decision): number => order.indexOf(one) - order.indexOf(other);
const maxReasons = 100;

/** Decides about a server by its report; the same report and policy always give the same answer. */
export function admit(report: ScanReport, policy: AdmissionPolicy = defaultAdmission): Admission {
  const accepted = new Set(policy.accepted);
  const bySeverity = report.findings
    .filter((finding) => isOpen(finding) && finding.kind === 'bug' && !accepted.has(finding.fingerprint))
    .flatMap((finding) => {
      const decision = policy.severity?.[finding.severity] ?? 'allow';
      return decision === 'allow'
        ? []
        : [
            {
              decision,
              why: `${finding.severity} ${finding.rule} in ${finding.location.file}:${finding.location.startLine}: ${finding.message}`,
              fingerprint: finding.fingerprint,
              severity: finding.severity,
            },
          ];
    })
    .sort(
      (one, other) =>
        worse(one.decision, other.decision) || severities.indexOf(one.severity) - severities.indexOf(other.severity),
    );
  const byCapability = report.capabilities.flatMap(({ tool, capabilities }) =>
    capabilities.flatMap((capability) => {
      const decision = policy.capability?.[capability] ?? 'allow';
      return decision === 'allow' ? [] : [{ decision, why: `${tool} can ${spoken[capability]}` }];
    }),
  );
  const unknowns =
    policy.unknown === undefined || policy.unknown === 'allow'
      ? []
      : [
          ...report.gaps.map((gap) => ({
            decision: policy.unknown ?? 'quarantine',
            why: `not read or not finished: ${gap.file} (${gap.reason})`,
          })),
          ...report.surface.unresolved.map((each) => ({
            decision: policy.unknown ?? 'quarantine',
            why: `not known before it runs: ${each.reason} (${each.location.file}:${each.location.start_line})`,
          })),
        ];
  const reasons = [
    ...bySeverity.map(({ decision, why, fingerprint }) => ({ decision, why, fingerprint })),
    ...byCapability,
    ...unknowns,
  ].sort((one, other) => worse(one.decision, other.decision));
  return {
    decision: reasons[0]?.decision ?? 'allow',
    reasons: reasons.slice(0, maxReasons),
    surfaceHash: report.surfaceHash,
  };
}

const spoken: Readonly<Record<Capability, string>> = {
  'private-read': 'read private data',
  'untrusted-input': 'bring in text of strangers',
  'external-send': 'send to the outside',
  destructive: 'change or remove data',
  exec: 'run programs or code',
};
