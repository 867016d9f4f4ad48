import type { JsonObject } from '../core/json.js';
import type { Decision } from '../scanner/admission/admit.js';
import type { Difference } from '../scanner/admission/compare.js';
import type { RegistryListing } from '../sources/mcp/registration/registry-lookup.js';

/** Admission decision about one source, with its evidence. */
export interface AdmissionRecord {
  readonly source: string;
  readonly decision: Decision;
  /** Reasons against it, worst first. */
  readonly reasons: readonly string[];
  /** All findings in its code, worst first, including accepted ones. */
  readonly findings: readonly string[];
  /** What could not be analysed; unknown is not safe. */
  readonly unknown?: string;
  /** Number of tools its code registers. */
  readonly tools?: number;
  /** Hashes of the scanned content and of the tool surface found in it. */
  readonly content?: string;
  readonly surface?: string;
  /** Key of the scan result in the cache, and the folder that was scanned; for operators of this machine, never in events. */
  readonly scan?: string;
  readonly root?: string;
  /** Entry of the configured registry for its name. */
  readonly registry?: RegistryListing;
  /** Differences between the running server and its code. */
  readonly differences: readonly Difference[];
}

const maxListed = 5;

/** Evidence of a decision, shortened for events and audit records. */
export const evidenceOf = ({
  reasons,
  findings,
  unknown,
  tools,
  content,
  surface,
  registry,
}: AdmissionRecord): JsonObject => ({
  reasons: reasons.slice(0, maxListed),
  findings: findings.slice(0, maxListed),
  ...(findings.length > maxListed && { more_findings: findings.length - maxListed }),
  ...(unknown !== undefined && { unknown }),
  ...(tools !== undefined && { tools }),
  ...(content !== undefined && { content }),
  ...(surface !== undefined && { surface }),
  ...(registry && { registry: registry.verdict }),
});
