import type { Json } from '../core/json.js';
import type { Tool } from '../core/tool.js';
import { glob } from '../lib/glob.js';
import type { CompiledRule, RuleProblem } from './policy.js';

/** The things besides tools that pass the same guards and may be named in rules. */
const standIns: readonly string[] = ['prompts/get', 'resources/read', 'completion/complete'];

export interface Known {
  readonly tools: readonly Tool[];
  readonly sources: readonly string[];
  /** How the names of tools begin that may still come, from sources that are not ready; '' where any name may. */
  readonly awaited: readonly string[];
}

/** A name in a rule that nothing has now. */
export interface Misnamed extends RuleProblem {
  /** A source that is not ready may still bring it. */
  readonly mayCome: boolean;
}

/** Names in rules that nothing has: a rule with a misspelt name protects nothing. */
export function unknownNames(rules: readonly CompiledRule[], { tools, sources, awaited }: Known): readonly Misnamed[] {
  const problems: Misnamed[] = [];
  const names = [...tools.map(({ name }) => name), ...standIns];
  const check = (
    path: string,
    patterns: readonly string[],
    known: readonly string[],
    what: string,
    mayCome: (pattern: string) => boolean,
  ): void => {
    for (const [position, pattern] of patterns.entries()) {
      const fits = glob(pattern);
      if (!known.some(fits))
        problems.push({
          path: `${path}.${position}`,
          message: `names ${pattern}, and there is no ${what} like that`,
          mayCome: mayCome(pattern),
        });
    }
  };
  for (const { rule, index, fields, forTool } of rules) {
    const at = `policy.rules.${index}`;
    check(`${at}.tools`, rule.tools, names, 'tool', (pattern) => couldBegin(pattern, awaited));
    check(`${at}.sources`, rule.sources, sources, 'source', () => false);
    const meant = tools.filter(forTool);
    if (meant.length === 0) continue;
    const mayCome = (rule.tools.length === 0 ? ['*'] : rule.tools).some((pattern) => couldBegin(pattern, awaited));
    for (const { field, path } of fields) {
      if (!meant.some((tool) => takes(tool, field)))
        problems.push({
          path: `${at}.${path}`,
          message: `names the argument ${field}, which none of the tools it is about takes`,
          mayCome,
        });
    }
  }
  return problems;
}

/** Whether a name that fits the pattern could begin in one of these ways. */
function couldBegin(pattern: string, heads: readonly string[]): boolean {
  const literal = /^[^*?]*/.exec(pattern)?.[0] ?? '';
  return heads.some((head) => literal.startsWith(head) || (literal !== pattern && head.startsWith(literal)));
}

/** Whether a tool takes an argument of this name, as far as its schema tells. */
function takes({ input: { schema } }: Tool, field: string): boolean {
  const { properties, additionalProperties, patternProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, field)) return true;
  if (patternProperties !== undefined || isObject(additionalProperties)) return true;
  // A schema put together from others, or one without properties, says nothing about names.
  return (
    additionalProperties !== false &&
    (!isObject(properties) || ['allOf', 'anyOf', 'oneOf', '$ref'].some((key) => schema[key] !== undefined))
  );
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
