import type { Args, Call, Door } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import type { Control } from '../control.js';
import type { LabelsOf } from '../flows/labels.js';
import type { CompiledRule, Policy } from './policy.js';

/** A call to explain without running it. */
export interface HypotheticalCall {
  readonly principal: Principal;
  readonly tool: Tool;
  readonly args: Args;
  readonly via: Door;
  readonly session?: string;
  /** Also shows rules about other principals and tools; for administrators, since their ids and actions are not for every caller. */
  readonly showsAllRules?: boolean;
}

interface ExplainOptions {
  readonly control: Control;
  readonly policy: Policy;
  readonly labelsOf: LabelsOf;
  /** Limits that apply to the call. */
  readonly limits: (principal: Principal, tool: Tool) => readonly JsonObject[];
}

/** Explains the decision about a call without running it (dry run). */
export function explainer({
  control,
  policy,
  labelsOf,
  limits,
}: ExplainOptions): (supposed: HypotheticalCall) => Promise<JsonObject> {
  return async (supposed) => {
    const { tool, principal } = supposed;
    // Parsed like a real call: rules see defaults and conversions, so the explanation must, too.
    const parsed = tool.input.parse(supposed.args);
    if (!parsed.ok)
      return {
        decision: 'invalid',
        message: 'The arguments do not match the input schema of the tool, so no rule was evaluated',
        problems:
          'error' in parsed
            ? [parsed.error.message]
            : parsed.problems.map(({ field, message }) => `${field} ${message}`.trim()),
      };
    const call = toCall(supposed, parsed.value);
    const verdict = control.verdict(call, tool);
    return {
      decision: verdict.kind,
      // Without rules everything is allowed, which the answer states instead of naming a rule.
      ...(verdict.kind === 'allow' && { rule: verdict.rule ?? (policy.isOn ? 'default' : 'policy is off') }),
      ...(verdict.kind === 'deny' && {
        rule: verdict.rule,
        message: verdict.message,
        ...(verdict.hint !== undefined && { hint: verdict.hint }),
      }),
      ...(verdict.kind === 'confirm' && {
        rule: verdict.demand.rules.join(', '),
        asks: verdict.demand.by,
        reason: verdict.demand.reason,
      }),
      principal: {
        id: principal.id,
        roles: [...principal.roles],
        ...(principal.profile !== undefined && { profile: principal.profile }),
      },
      tool: { name: tool.name, source: tool.source, labels: [...labelsOf(tool)] },
      almost: nearMisses(call, tool, policy, control, supposed.showsAllRules === true),
      limits: [{ limit: 'tool', calls_per_minute: tool.limits.ratePerMinute }, ...limits(principal, tool)],
    };
  };
}

/** Rules that differ from the call in exactly one condition. */
const nearMisses = (
  call: Call,
  tool: Tool,
  policy: Policy,
  control: Control,
  showsAll: boolean,
): readonly JsonObject[] =>
  policy.rules.flatMap((compiled): readonly JsonObject[] => {
    // Others' rules are hidden, because their ids disclose who has access to what.
    if (!showsAll && !(compiled.forPrincipal(call.principal) && compiled.forTool(tool))) return [];
    const missed = ruleMismatches(compiled, call, tool, control);
    // Exactly one mismatch: with two or more the rule is not what the reader was looking for.
    return missed.length === 1 ? [{ rule: compiled.rule.id, action: compiled.rule.action, but: missed[0] ?? '' }] : [];
  });

function ruleMismatches(compiled: CompiledRule, call: Call, tool: Tool, control: Control): readonly string[] {
  return [
    ...(compiled.forPrincipal(call.principal) ? [] : ['it applies to other principals or roles']),
    ...(compiled.forTool(tool) ? [] : ['it applies to other tools']),
    ...compiled.mismatches(call, () => control.facts(call, tool), true),
  ];
}

// A dry run has no client that could cancel it.
const neverAborted = new AbortController().signal;

const toCall = ({ principal, tool, via, session }: HypotheticalCall, args: Args): Call => ({
  id: 'explain',
  tool: tool.name,
  principal,
  via,
  args,
  receivedAt: 0,
  signal: neverAborted,
  correlationId: 'explain',
  ...(session !== undefined && { session }),
});
