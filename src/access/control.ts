import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Tool } from '../core/tool.js';
import type { Authorizer } from '../guards/authorize.js';
import type { ApprovalRequirement, ApprovalPolicy } from '../guards/confirm.js';
import type { Facts } from './policy/expressions.js';
import type { Flows } from './flows/flows.js';
import type { LabelsOf } from './flows/labels.js';
import type { Effect, Policy, RuleDecision } from './policy/policy.js';

/** Decision about one call, from rules, flow rules and effects. */
type CallDecision =
  | { readonly kind: 'allow'; readonly rule?: string }
  | { readonly kind: 'deny'; readonly rule: string; readonly message: string; readonly hint?: string }
  | { readonly kind: 'confirm'; readonly demand: ApprovalRequirement };

/** What decisions are based on. */
interface ControlOptions {
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

/** One decision per call, from which both guards read their part. */
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
      // A getter: few rules read it, and for an API document it is built on demand.
      get facts() {
        return tool.facts ?? {};
      },
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
    // The caller got this result under the rules of then; a rule change must not cut it off in the middle.
    if (tool.source === ownSource) return { kind: 'allow', rule: 'own result' };
    // Facts are collected with the first rule that reads them: most rules match by name alone.
    let known: Facts | undefined;
    const ruling = policy.rule(call, tool, () => (known ??= facts(call, tool)));
    if (ruling.kind === 'deny') return toDenial(ruling);
    // After the rules: a denial needs no look at the conversation.
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
      // Only effects that the tool really has.
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
    // In a cluster the labels of other replicas are read before the decision.
    prepare: (call, tool) => (tool.source === ownSource ? undefined : flows.pull(call, tool)),
    decide(call, tool): ToolError | undefined {
      const found = verdict(call, tool);
      if (found.kind !== 'deny') return undefined;
      return {
        code: 'policy_denied',
        message: found.message,
        ...(found.hint !== undefined && { hint: found.hint }),
        decision: { rule: found.rule },
      };
    },
    requirement(call, tool) {
      const found = verdict(call, tool);
      return found.kind === 'confirm' ? found.demand : undefined;
    },
  };
}

/**
 * The conversation as expressions see it; without labels if there were too many to record, so that expressions on
 * them fail closed.
 */
const sessionFacts = ({ session = '' }: Call, labels: readonly string[] | undefined): Facts['session'] =>
  labels === undefined ? { id: session } : { id: session, labels };

/** A reason as the end of a message. */
const reasonSuffix = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

const hasEffect = ({ effects }: Tool, effect: Effect): boolean =>
  effect === 'open_world' ? effects.openWorld : effects[effect];

/** Denial by a rule, or by the default where no rule allows. */
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

/** Which approvals a call needs, with every rule that demands one; undefined if none. */
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
    // The stricter of all demands: one rule that wants an operator is enough.
    by: asking.some(({ confirm }) => confirm === 'operator') ? 'operator' : 'caller',
  };
}

/** Effects as they end the sentence "it …". */
const effectPhrases: Readonly<Record<Effect, string>> = {
  reads: 'reads data',
  writes: 'modifies data',
  destroys: 'may delete data',
  open_world: 'reaches external systems',
};
