import { isOpen, type Capability, type ScanReport } from '../report.js';
import { severities, type Severity } from '../rules/rule.js';

/** What the gateway does with a scanned server. */
export type Decision = 'allow' | 'quarantine' | 'deny';

/** Maps scan results to decisions; anything unlisted is allowed. */
export interface AdmissionPolicy {
  /** By the worst open finding. */
  readonly severity?: Readonly<Partial<Record<Severity, Decision>>>;
  /** By the capabilities of any tool. */
  readonly capability?: Readonly<Partial<Record<Capability, Decision>>>;
  /** If code could not be read, parsed, analysed completely or resolved: unknown is not safe. */
  readonly unknown?: Decision;
  /** Fingerprints accepted by an operator. */
  readonly accepted?: readonly string[];
}

/** The default policy. */
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

/** From worst to best. */
const decisionOrder: readonly Decision[] = ['deny', 'quarantine', 'allow'];
/** Sorts decisions, the worst first. */
const compareDecisions = (one: Decision, other: Decision): number =>
  decisionOrder.indexOf(one) - decisionOrder.indexOf(other);
/** Reasons in the record; all of them count for the decision. */
const maxReasons = 100;

/** Decides about a server by its report; deterministic for the same report and policy. */
export function admit(report: ScanReport, policy: AdmissionPolicy = defaultAdmission): Admission {
  const accepted = new Set(policy.accepted);
  const bySeverity = report.findings
    // Capabilities are no bugs: they are decided by `capability`.
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
        compareDecisions(one.decision, other.decision) ||
        severities.indexOf(one.severity) - severities.indexOf(other.severity),
    );
  const byCapability = report.capabilities.flatMap(({ tool, capabilities }) =>
    capabilities.flatMap((capability) => {
      const decision = policy.capability?.[capability] ?? 'allow';
      return decision === 'allow' ? [] : [{ decision, why: `${tool} can ${capabilityTexts[capability]}` }];
    }),
  );
  const unknowns =
    policy.unknown === undefined || policy.unknown === 'allow'
      ? []
      : [
          ...report.gaps.map((gap) => ({
            decision: policy.unknown ?? 'quarantine',
            why: `not analysed completely: ${gap.file} (${gap.reason})`,
          })),
          ...report.surface.unresolved.map((each) => ({
            decision: policy.unknown ?? 'quarantine',
            why: `unknown before run time: ${each.reason} (${each.location.file}:${each.location.start_line})`,
          })),
        ];
  const reasons = [
    ...bySeverity.map(({ decision, why, fingerprint }) => ({ decision, why, fingerprint })),
    ...byCapability,
    ...unknowns,
  ].sort((one, other) => compareDecisions(one.decision, other.decision));
  return {
    // Sorted, so that the first reason has the worst decision.
    decision: reasons[0]?.decision ?? 'allow',
    reasons: reasons.slice(0, maxReasons),
    surfaceHash: report.surfaceHash,
  };
}

/** Capabilities as they end the sentence "the tool can …". */
const capabilityTexts: Readonly<Record<Capability, string>> = {
  'private-read': 'read private data',
  'untrusted-input': 'fetch untrusted text',
  'external-send': 'send data to the network',
  destructive: 'change or delete data',
  exec: 'run programs or code',
};
