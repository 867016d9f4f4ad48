import type { Call, Door } from '../../core/call.js';
import type { Principal } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { isNamedBy } from '../../core/tool.js';
import { anyGlob } from '../../lib/text/glob.js';
import type { ArgsTest, Condition } from './conditions.js';
import { compileCondition } from './conditions.js';
import type { Expression, Facts } from './expressions.js';
import { compileExpression } from './expressions.js';
import type { LabelsOf } from '../flows/labels.js';
import type { RuleIndex } from './rule-index.js';
import { indexRules } from './rule-index.js';

export type Effect = 'reads' | 'writes' | 'destroys' | 'open_world';

/** One rule as configured; an empty list matches everything. */
export interface Rule {
  readonly id: string;
  readonly action: 'allow' | 'deny' | 'confirm';
  readonly confirm: 'caller' | 'operator';
  readonly principals: readonly string[];
  readonly roles: readonly string[];
  readonly tools: readonly string[];
  readonly sources: readonly string[];
  readonly labels: readonly string[];
  readonly effects: readonly Effect[];
  readonly doors: readonly Door[];
  readonly args: Readonly<Record<string, Condition>>;
  readonly when?: string;
  readonly reason?: string;
  readonly hint?: string;
}

/** A rule that is not valid, with its location. */
export interface RuleProblem {
  /** The key of the configuration, such as `policy.rules.2.when`. */
  readonly path: string;
  readonly message: string;
}

/** Description of a condition that a call does not match. */
type Miss = string;

/** A rule compiled for matching. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly index: number;
  readonly forPrincipal: (principal: Principal) => boolean;
  readonly forTool: (tool: Tool) => boolean;
  /** Whether it depends on more than principal and tool. */
  readonly isConditional: boolean;
  /** Top-level arguments it reads, each with its configuration key. */
  readonly fields: readonly { readonly field: string; readonly path: string }[];
  /** Labels of the conversation on which it can depend. */
  readonly sessionLabels: readonly string[] | 'all';
  /** Conditions that the call does not match; only the first one unless `all` is set. */
  mismatches(call: Call, facts: () => Facts, all: boolean): readonly Miss[];
}

const effectOf: Readonly<Record<Effect, (tool: Tool) => boolean>> = {
  reads: ({ effects }) => effects.reads,
  writes: ({ effects }) => effects.writes,
  destroys: ({ effects }) => effects.destroys,
  open_world: ({ effects }) => effects.openWorld,
};

/** Compiles rules and collects all problems. */
export function compileRules(
  rules: readonly Rule[],
  labelsOf: LabelsOf,
): { readonly rules: readonly CompiledRule[]; readonly problems: readonly RuleProblem[] } {
  const problems: RuleProblem[] = [];
  const ids = new Set<string>();
  const compiled = rules.map((rule, index): CompiledRule => {
    const at = `policy.rules.${index}`;
    if (ids.has(rule.id)) problems.push({ path: `${at}.id`, message: `duplicate rule id ${rule.id}` });
    ids.add(rule.id);
    return compileRule(rule, index, labelsOf, (key, message) => problems.push({ path: `${at}.${key}`, message }));
  });
  return { rules: compiled, problems };
}

function compileRule(
  rule: Rule,
  index: number,
  labelsOf: LabelsOf,
  report: (key: string, message: string) => void,
): CompiledRule {
  const toAllow = rule.action === 'allow';
  const principals = anyGlob(rule.principals);
  const [names, sources, labels] = [anyGlob(rule.tools), anyGlob(rule.sources), anyGlob(rule.labels)];
  const fields: { field: string; path: string }[] = [];
  const tests: { readonly name: string; readonly test: ArgsTest }[] = [];
  for (const [path, wanted] of Object.entries(rule.args)) {
    const made = compileCondition(path, wanted, toAllow);
    if (made.ok) tests.push({ name: path, test: made.test });
    else report(`args.${path}`, made.problem);
    fields.push({ field: path.split('.', 1)[0] ?? path, path: `args.${path}` });
  }
  let when: Expression | undefined;
  let sessionLabels: CompiledRule['sessionLabels'] = [];
  if (rule.when !== undefined) {
    const made = compileExpression(rule.when);
    if (made.ok) when = made.test;
    else report('when', made.problem);
    if (made.ok) sessionLabels = made.sessionLabels;
    if (made.ok) fields.push(...made.fields.map((field) => ({ field, path: 'when' })));
  }

  return {
    rule,
    index,
    fields,
    sessionLabels,
    isConditional: rule.doors.length > 0 || tests.length > 0 || when !== undefined,
    forPrincipal: (principal) =>
      principals(principal.id) &&
      (rule.roles.length === 0 || rule.roles.some((role) => principal.roles.includes(role))),
    forTool: (tool) =>
      isNamedBy(tool, names) &&
      sources(tool.source) &&
      (rule.labels.length === 0 || labelsOf(tool).some(labels)) &&
      (rule.effects.length === 0 || rule.effects.some((effect) => effectOf[effect](tool))),
    mismatches(call, facts, all) {
      const found: Miss[] = [];
      if (rule.doors.length > 0 && !rule.doors.includes(call.via)) found.push(`the door is ${call.via}`);
      for (const { name, test } of tests) {
        if (found.length > 0 && !all) return found;
        if (!test(call.args)) found.push(`args.${name} is missing or does not match`);
      }
      if (when !== undefined && (found.length === 0 || all)) {
        const held = when(facts());
        // Fail closed: an error never satisfies an allow rule, and counts as a match in deny and confirm rules.
        if (held === false || (held === 'error' && toAllow))
          found.push(
            held === 'error' ? 'its expression cannot be evaluated for these arguments' : 'its expression is false',
          );
      }
      return found;
    },
  };
}

/** Decision of the rules about a call. */
export type RuleDecision =
  | { readonly kind: 'allow'; readonly rule?: Rule }
  | { readonly kind: 'deny'; /** Absent if no rule matched. */ readonly rule?: Rule }
  | { readonly kind: 'confirm'; readonly rule: Rule };

/** Ordered rules; the first match decides. */
export interface Policy {
  /** False without rules: every call is allowed then. */
  readonly isOn: boolean;
  readonly rules: readonly CompiledRule[];
  rule(call: Call, tool: Tool, facts: () => Facts): RuleDecision;
  /** Whether any call of this tool could be allowed for this principal; other tools are hidden. */
  couldAllow(principal: Principal, tool: Tool): boolean;
  /** Equal for principals that no rule distinguishes. */
  key(principal: Principal): string;
}

export function accessPolicy(rules: readonly CompiledRule[]): Policy {
  // The rules that apply to a tool do not depend on the call.
  const byTool = new WeakMap<Tool, readonly CompiledRule[]>();
  const about = (tool: Tool): readonly CompiledRule[] => {
    let found = byTool.get(tool);
    if (found === undefined) byTool.set(tool, (found = rules.filter((rule) => rule.forTool(tool))));
    return found;
  };
  const byCall = new WeakMap<Tool, RuleIndex>();
  const candidates = (call: Call, tool: Tool): Iterable<CompiledRule> => {
    let found = byCall.get(tool);
    if (found === undefined) byCall.set(tool, (found = indexRules(about(tool))));
    return found(call);
  };
  const isOn = rules.length > 0;

  return {
    isOn,
    rules,
    rule(call, tool, facts) {
      if (!isOn) return { kind: 'allow' };
      for (const compiled of candidates(call, tool)) {
        if (!compiled.forPrincipal(call.principal) || compiled.mismatches(call, facts, false).length > 0) continue;
        const { rule } = compiled;
        return { kind: rule.action, rule };
      }
      return { kind: 'deny' };
    },
    couldAllow(principal, tool) {
      if (!isOn) return true;
      for (const { rule, isConditional, forPrincipal } of about(tool)) {
        if (!forPrincipal(principal)) continue;
        if (rule.action !== 'deny') return true;
        if (!isConditional) return false;
      }
      return false;
    },
    key: (principal) => rules.map(({ forPrincipal }) => (forPrincipal(principal) ? '1' : '0')).join(''),
  };
}
