import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Tool } from '../core/tool.js';
import type { Authorizer } from '../guards/authorize.js';
import type { Demand, Demands } from '../guards/confirm.js';
import type { Facts } from './expressions.js';
import type { Flows } from './flows.js';
import type { LabelsOf } from './labels.js';
import type { Effect, Policy, Ruling } from './policy.js';

/** What is decided about one call, by rules, flows and effects together. */
export type Verdict =
  | { readonly kind: 'allow'; readonly rule?: string }
  | { readonly kind: 'deny'; readonly rule: string; readonly message: string; readonly hint?: string }
  | { readonly kind: 'confirm'; readonly demand: Demand };

export interface ControlOptions {
  readonly policy: Policy;
  readonly flows: Flows;
  readonly labelsOf: LabelsOf;
  /** Effects that need a confirmation even where a rule allows. */
  readonly confirmEffects: readonly Effect[];
  /** The source through which callers read the rest of their own results; what they got once needs no second leave. */
  readonly ownSource?: string;
}

/** Decides on calls; the authorize guard asks for objections, the confirm guard for demands, and both hear one decision. */
export interface Control extends Authorizer, Demands {
  verdict(call: Call, tool: Tool): Verdict;
  facts(call: Call, tool: Tool): Facts;
}

export function control({ policy, flows, labelsOf, confirmEffects, ownSource }: ControlOptions): Control {
  // The confirm guard asks right after the authorize guard, about the same call; nobody changes a call after it was validated.
  let last: { readonly call: Call; readonly verdict: Verdict } | undefined;

  const facts = (call: Call, tool: Tool): Facts => ({
    call: { tool: call.tool, door: call.via },
    tool: {
      name: tool.name,
      source: tool.source,
      labels: labelsOf(tool),
      reads: tool.effects.reads,
      writes: tool.effects.writes,
      destroys: tool.effects.destroys,
      open_world: tool.effects.openWorld,
    },
    principal: {
      id: call.principal.id,
      name: call.principal.name,
      kind: call.principal.kind,
      roles: call.principal.roles,
      scopes: call.principal.scopes ?? [],
    },
    args: call.args,
    session: { id: call.session ?? '', labels: flows.seen(call) },
  });

  const decide = (call: Call, tool: Tool): Verdict => {
    if (tool.source === ownSource) return { kind: 'allow', rule: 'own result' };
    let known: Facts | undefined;
    const ruling = policy.rule(call, tool, () => (known ??= facts(call, tool)));
    if (ruling.kind === 'deny') return denied(ruling);
    const against = flows.against(call, tool);
    const forbids = against.find(({ action }) => action === 'deny');
    if (forbids !== undefined)
      return {
        kind: 'deny',
        rule: forbids.id,
        message: `The flow rule ${forbids.id} forbids this call after what was done before${because(forbids.reason)}`,
        hint: 'Start a new conversation for it, or ask the operator',
      };
    const demand = demandOf(
      ruling,
      against,
      confirmEffects.filter((effect) => has(tool, effect)),
    );
    return demand === undefined
      ? { kind: 'allow', ...(ruling.rule && { rule: ruling.rule.id }) }
      : { kind: 'confirm', demand };
  };
  const verdict = (call: Call, tool: Tool): Verdict => {
    if (last?.call !== call) last = { call, verdict: decide(call, tool) };
    return last.verdict;
  };

  return {
    facts,
    verdict,
    decide(call, tool): ToolError | undefined {
      const found = verdict(call, tool);
      if (found.kind !== 'deny') return undefined;
      return {
        code: 'policy_denied',
        message: found.message,
        ...(found.hint !== undefined && { hint: found.hint }),
        data: { rule: found.rule },
      };
    },
    demand(call, tool) {
      const found = verdict(call, tool);
      return found.kind === 'confirm' ? found.demand : undefined;
    },
  };
}

const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

const has = ({ effects }: Tool, effect: Effect): boolean =>
  effect === 'open_world' ? effects.openWorld : effects[effect];

function denied({ rule }: Extract<Ruling, { kind: 'deny' }>): Verdict {
  if (rule === undefined)
    return {
      kind: 'deny',
      rule: 'default',
      message: 'No rule allows this call',
      hint: 'Ask the operator; toolgate explain shows which rules almost apply',
    };
  return {
    kind: 'deny',
    rule: rule.id,
    message: `The rule ${rule.id} forbids this call${because(rule.reason)}`,
    ...(rule.hint !== undefined && { hint: rule.hint }),
  };
}

function demandOf(
  ruling: Ruling,
  flowRules: ReturnType<Flows['against']>,
  effects: readonly Effect[],
): Demand | undefined {
  const asking = [...(ruling.kind === 'confirm' ? [ruling.rule] : []), ...flowRules];
  if (asking.length === 0 && effects.length === 0) return undefined;
  const reasons = [
    ...asking.flatMap(({ reason }) => reason ?? []),
    ...flowRules
      .filter(({ reason }) => reason === undefined)
      .map(({ after, to }) => `after ${after.join(', ')}, ${to.join(', ')} needs consent`),
    ...effects.map((effect) => `it ${told[effect]}`),
  ];
  return {
    rules: [...asking.map(({ id }) => id), ...effects.map((effect) => `effect:${effect}`)],
    reason: reasons.join('; ') || 'the operator wants to be sure',
    by: asking.some(({ confirm }) => confirm === 'operator') ? 'operator' : 'caller',
  };
}

const told: Readonly<Record<Effect, string>> = {
  reads: 'reads',
  writes: 'changes something',
  destroys: 'may destroy something',
  open_world: 'reaches outside',
};
