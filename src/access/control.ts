import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Tool } from '../core/tool.js';
import type { Authorizer } from '../guards/authorize.js';
import type { ApprovalRequirement, ApprovalPolicy } from '../guards/confirm.js';
import type { Facts } from './expressions.js';
import type { Flows } from './flows.js';
import type { LabelsOf } from './labels.js';
import type { Effect, Policy, RuleDecision } from './policy.js';

/** Decision about one call, from rules, flow rules and effects. */
export type CallDecision =
  | { readonly kind: 'allow'; readonly rule?: string }
  | { readonly kind: 'deny'; readonly rule: string; readonly message: string; readonly hint?: string }
  | { readonly kind: 'confirm'; readonly demand: ApprovalRequirement };

export interface ControlOptions {
  readonly policy: Policy;
  readonly flows: Flows;
  readonly labelsOf: LabelsOf;
  /** Effects that need approval even if a rule allows the call. */
  readonly confirmEffects: readonly Effect[];
  /** Source of the caller's own truncated results; exempt from policy because access was already granted. */
  readonly ownSource?: string;
}

/** Decides about calls; the authorize guard reads denials and the confirm guard approval requests from the same decision. */
export interface Control extends Authorizer, ApprovalPolicy {
  verdict(call: Call, tool: Tool): CallDecision;
  facts(call: Call, tool: Tool): Facts;
}

export function control({ policy, flows, labelsOf, confirmEffects, ownSource }: ControlOptions): Control {
  // Cache of one entry: the confirm guard asks about the same call right after the authorize guard, and calls are immutable.
  let last: { readonly call: Call; readonly verdict: CallDecision } | undefined;

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
    session: sessionFacts(call, flows.seen(call)),
  });

  const decide = (call: Call, tool: Tool): CallDecision => {
    if (tool.source === ownSource) return { kind: 'allow', rule: 'own result' };
    let known: Facts | undefined;
    const ruling = policy.rule(call, tool, () => (known ??= facts(call, tool)));
    if (ruling.kind === 'deny') return toDenial(ruling);
    const against = flows.against(call, tool);
    const forbids = against.find(({ action }) => action === 'deny');
    if (forbids !== undefined)
      return {
        kind: 'deny',
        rule: forbids.id,
        message: `Flow rule ${forbids.id} denies this call because of earlier calls in this conversation${reasonSuffix(forbids.reason)}`,
        hint: 'Start a new conversation for it, or ask the operator',
      };
    const demand = approvalRequestFor(
      ruling,
      against,
      confirmEffects.filter((effect) => hasEffect(tool, effect)),
    );
    return demand === undefined
      ? { kind: 'allow', ...(ruling.rule && { rule: ruling.rule.id }) }
      : { kind: 'confirm', demand };
  };
  const verdict = (call: Call, tool: Tool): CallDecision => {
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
    requirement(call, tool) {
      const found = verdict(call, tool);
      return found.kind === 'confirm' ? found.demand : undefined;
    },
  };
}

const sessionFacts = ({ session = '' }: Call, labels: readonly string[] | undefined): Facts['session'] =>
  labels === undefined ? { id: session } : { id: session, labels };

const reasonSuffix = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

const hasEffect = ({ effects }: Tool, effect: Effect): boolean =>
  effect === 'open_world' ? effects.openWorld : effects[effect];

function toDenial({ rule }: Extract<RuleDecision, { kind: 'deny' }>): CallDecision {
  if (rule === undefined)
    return {
      kind: 'deny',
      rule: 'default',
      message: 'No rule allows this call',
      hint: 'Ask the operator; toolgate explain shows the rules that nearly match',
    };
  return {
    kind: 'deny',
    rule: rule.id,
    message: `Rule ${rule.id} denies this call${reasonSuffix(rule.reason)}`,
    ...(rule.hint !== undefined && { hint: rule.hint }),
  };
}

function approvalRequestFor(
  ruling: RuleDecision,
  flowRules: ReturnType<Flows['against']>,
  effects: readonly Effect[],
): ApprovalRequirement | undefined {
  const asking = [...(ruling.kind === 'confirm' ? [ruling.rule] : []), ...flowRules];
  if (asking.length === 0 && effects.length === 0) return undefined;
  const reasons = [
    ...asking.flatMap(({ reason }) => reason ?? []),
    ...flowRules
      .filter(({ reason }) => reason === undefined)
      .map(({ after, to }) => `after ${after.join(', ')}, ${to.join(', ')} needs approval`),
    ...effects.map((effect) => `it ${effectPhrases[effect]}`),
  ];
  return {
    rules: [...asking.map(({ id }) => id), ...effects.map((effect) => `effect:${effect}`)],
    reason: reasons.join('; ') || 'the operator requires approval',
    by: asking.some(({ confirm }) => confirm === 'operator') ? 'operator' : 'caller',
  };
}

const effectPhrases: Readonly<Record<Effect, string>> = {
  reads: 'reads data',
  writes: 'modifies data',
  destroys: 'may delete data',
  open_world: 'reaches external systems',
};
