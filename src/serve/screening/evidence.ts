import type { JsonObject } from '../../core/json.js';
import type { Decision } from '../../scanner/admission/admit.js';
import type { Difference } from '../../scanner/admission/compare.js';
import type { Known } from '../../sources/mcp/registry-lookup.js';

/** What was decided about one source before it was started, and by what. */
export interface Screening {
  readonly source: string;
  readonly decision: Decision;
  /** Why it is held, worst first. */
  readonly reasons: readonly string[];
  /** Findings in its code, worst first, whatever was decided about them. */
  readonly findings: readonly string[];
  /** What stayed unknown; unknown is not safe. */
  readonly unknown?: string;
  /** How many tools its code registers. */
  readonly tools?: number;
  /** The hash of what was read, and of what it says is offered. */
  readonly content?: string;
  readonly surface?: string;
  /** What the configured registry says about its name. */
  readonly registry?: Known;
  /** Where it differs from its code now that it runs. */
  readonly differences: readonly Difference[];
}

const shown = 5;

/** The evidence of a decision, short enough for an event or a record. */
export const evidenceOf = ({
  reasons,
  findings,
  unknown,
  tools,
  content,
  surface,
  registry,
}: Screening): JsonObject => ({
  reasons: reasons.slice(0, shown),
  findings: findings.slice(0, shown),
  ...(findings.length > shown && { more_findings: findings.length - shown }),
  ...(unknown !== undefined && { unknown }),
  ...(tools !== undefined && { tools }),
  ...(content !== undefined && { content }),
  ...(surface !== undefined && { surface }),
  ...(registry && { registry: registry.verdict }),
});
