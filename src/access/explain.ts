import type { Args, Call, Door } from '../core/call.js';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import type { Tool } from '../core/tool.js';
import type { Control } from './control.js';
import type { LabelsOf } from './labels.js';
import type { CompiledRule, Policy } from './policy.js';

/** A call that nobody makes. */
export interface Supposed {
  readonly principal: Principal;
  readonly tool: Tool;
  readonly args: Args;
  readonly via: Door;
  readonly session?: string;
}

export interface ExplainOptions {
  readonly control: Control;
  readonly policy: Policy;
  readonly labelsOf: LabelsOf;
  /** What would be counted against which limit. */
  readonly limits: (principal: Principal, tool: Tool) => readonly JsonObject[];
}

/** Says what would become of a call and why, without making it. */
export function explainer({
  control,
  policy,
  labelsOf,
  limits,
}: ExplainOptions): (supposed: Supposed) => Promise<JsonObject> {
  return async (supposed) => {
    const { tool, principal } = supposed;
    const parsed = await tool.input.parse(supposed.args);
    if (!parsed.ok)
      return {
        decision: 'invalid',
        message: 'The arguments do not fit the tool, so no rule is asked',
        problems:
          'error' in parsed
            ? [parsed.error.message]
            : parsed.problems.map(({ field, message }) => `${field} ${message}`.trim()),
      };
    const call = toCall(supposed, parsed.value);
    const verdict = control.verdict(call, tool);
    return {
      decision: verdict.kind,
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
      almost: almost(call, tool, policy, control),
      limits: [{ limit: 'tool', calls_per_minute: tool.limits.ratePerMinute }, ...limits(principal, tool)],
    };
  };
}

/** Rules that one thing alone kept from applying. */
const almost = (call: Call, tool: Tool, policy: Policy, control: Control): readonly JsonObject[] =>
  policy.rules.flatMap((compiled): readonly JsonObject[] => {
    const missed = missesOf(compiled, call, tool, control);
    return missed.length === 1 ? [{ rule: compiled.rule.id, action: compiled.rule.action, but: missed[0] ?? '' }] : [];
  });

function missesOf(compiled: CompiledRule, call: Call, tool: Tool, control: Control): readonly string[] {
  return [
    ...(compiled.forPrincipal(call.principal) ? [] : ['it is about another principal or role']),
    ...(compiled.forTool(tool) ? [] : ['it is about other tools']),
    ...compiled.misses(call, () => control.facts(call, tool), true),
  ];
}

const never = new AbortController().signal;

const toCall = ({ principal, tool, via, session }: Supposed, args: Args): Call => ({
  id: 'explain',
  tool: tool.name,
  principal,
  via,
  args,
  receivedAt: 0,
  signal: never,
  correlationId: 'explain',
  ...(session !== undefined && { session }),
});
