import { policy as policySection } from '../../config/sections/access.js';
import type { Config } from '../../config/schema.js';
import type { Args, Call, Door } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { neverAborted } from '../../lib/light-signal.js';
import { control as makeControl } from '../control.js';
import type { Flows } from '../flows/flows.js';
import type { LabelsOf } from '../flows/labels.js';
import { accessPolicy, compileRules } from '../policy/policy.js';

/** A recorded call, as the audit has it. */
export interface RecordedCall {
  readonly call: string;
  readonly at: string;
  readonly principal: string;
  readonly tool: string;
  readonly via: string;
  readonly decision: string;
  readonly code?: string | undefined;
  /** Present only with `audit.keep_arguments`. */
  readonly args?: unknown;
}

/** What drafts are evaluated with. */
interface ReplayOptions {
  readonly config: Config;
  readonly flows: Flows;
  readonly labelsOf: LabelsOf;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly findPrincipal: (id: string) => Principal | undefined;
}

/** Decision about one recorded call. */
type Outcome = 'allow' | 'confirm' | 'deny' | 'unknown';
/** Differences in the response; their number is always complete. */
const mostShown = 50;

/**
 * Decides recorded calls by draft rules. Nothing is installed and nothing runs. A call is `unknown` if its tool or principal no
 * longer exists, or if a rule depends on arguments that the audit did not keep: a guess would be worse than no answer.
 */
export function replayRules(
  draft: unknown,
  calls: readonly RecordedCall[],
  { config, flows, labelsOf, tools, findPrincipal }: ReplayOptions,
): JsonObject | string {
  // Checked as a part of the whole section, so that the draft meets the same schema as the file.
  const parsed = policySection.safeParse({ ...config.policy, rules: draft });
  if (!parsed.success)
    return parsed.error.issues
      .slice(0, 10)
      .map(({ path, message }) => `${path.join('.')}: ${message}`)
      .join('; ');
  const { rules, problems } = compileRules(parsed.data.rules, labelsOf);
  if (problems.length > 0) return problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const draftPolicy = accessPolicy(rules);
  const control = makeControl({
    policy: draftPolicy,
    flows,
    labelsOf,
    confirmEffects: parsed.data.confirmation.effects,
  });

  const decide = (recorded: RecordedCall): { readonly outcome: Outcome; readonly rule?: string } => {
    const tool = tools.get(recorded.tool);
    const principal = findPrincipal(recorded.principal);
    if (tool === undefined || principal === undefined) return { outcome: 'unknown' };
    const hasArgs = typeof recorded.args === 'object' && recorded.args !== null;
    // Only rules that could concern this call make it unknown; others decide without arguments.
    if (!hasArgs && rules.some((rule) => rule.isConditional && rule.forPrincipal(principal) && rule.forTool(tool)))
      return { outcome: 'unknown' };
    const decision = control.verdict(recordedAsCall(recorded, principal, hasArgs ? (recorded.args as Args) : {}), tool);
    if (decision.kind === 'confirm') return { outcome: 'confirm', rule: decision.demand.rules.join(', ') };
    return { outcome: decision.kind, ...(decision.rule !== undefined && { rule: decision.rule }) };
  };

  const counts: Record<Outcome, number> = { allow: 0, confirm: 0, deny: 0, unknown: 0 };
  const changed: JsonObject[] = [];
  let changes = 0;
  for (const recorded of calls) {
    const { outcome, rule } = decide(recorded);
    counts[outcome] += 1;
    const before = outcomeBefore(recorded);
    if (outcome === 'unknown' || outcome === before) continue;
    changes += 1;
    if (changed.length < mostShown)
      changed.push({
        call: recorded.call,
        at: recorded.at,
        principal: recorded.principal,
        tool: recorded.tool,
        before,
        after: outcome,
        rule: rule ?? null,
      });
  }
  return { calls: calls.length, counts, changes, changed };
}

/** What policy decided then, from the recorded result; failures after the decision count as allowed. */
function outcomeBefore({ decision, code }: RecordedCall): Outcome {
  if (code === 'policy_denied') return 'deny';
  if (decision === 'asked' || code === 'confirmation_required' || code === 'declined') return 'confirm';
  return 'allow';
}

/** A recorded call in the shape that rules see. */
const recordedAsCall = ({ tool, via, call }: RecordedCall, principal: Principal, args: Args): Call => ({
  id: call,
  tool,
  principal,
  via: via as Door, // written by this program
  args,
  receivedAt: 0,
  signal: neverAborted(),
  correlationId: 'replay',
});
