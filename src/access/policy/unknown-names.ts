import type { Json } from '../../core/json.js';
import { standInNames } from '../../core/stand-in.js';
import type { Tool } from '../../core/tool.js';
import { glob } from '../../lib/text/glob.js';
import type { CompiledRule, RuleProblem } from './policy.js';

interface KnownNames {
  readonly tools: readonly Tool[];
  readonly sources: readonly string[];
  /** Name prefixes of sources that are not ready; an empty prefix matches any name. */
  readonly awaited: readonly string[];
  /** New names of tools that are not there yet under them. */
  readonly expected?: readonly string[];
}

/** A name in a rule that matches nothing at the moment. */
export interface UnknownName extends RuleProblem {
  /** Whether a source that is not ready may still provide it. */
  readonly mayAppear: boolean;
}

/** Finds names in rules that match nothing: a rule with a misspelt name protects nothing. */
export function unknownNames(
  rules: readonly CompiledRule[],
  { tools, sources, awaited, expected = [] }: KnownNames,
): readonly UnknownName[] {
  const problems: UnknownName[] = [];
  const names = [...tools.map(({ name }) => name), ...standInNames];
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
          message: `matches no ${what}: ${pattern}`,
          mayAppear: mayCome(pattern),
        });
    }
  };
  const mayAppear = (pattern: string): boolean => couldMatchPrefix(pattern, awaited) || expected.some(glob(pattern));
  for (const { rule, index, fields, forTool } of rules) {
    const at = `policy.rules.${index}`;
    check(`${at}.tools`, rule.tools, names, 'tool', mayAppear);
    check(`${at}.sources`, rule.sources, sources, 'source', () => false);
    const matchingTools = tools.filter(forTool);
    if (matchingTools.length === 0) continue;
    const mayCome = (rule.tools.length === 0 ? ['*'] : rule.tools).some(mayAppear);
    for (const { field, path } of fields) {
      if (!matchingTools.some((tool) => acceptsArgument(tool, field)))
        problems.push({
          path: `${at}.${path}`,
          message: `names the argument ${field}, which no matching tool has`,
          mayAppear: mayCome,
        });
    }
  }
  return problems;
}

/** Whether a name that matches the pattern could start with one of these prefixes. */
function couldMatchPrefix(pattern: string, heads: readonly string[]): boolean {
  const literal = /^[^*?]*/.exec(pattern)?.[0] ?? '';
  return heads.some((head) => literal.startsWith(head) || (literal !== pattern && head.startsWith(literal)));
}

/** Whether the schema of a tool accepts an argument of this name. */
function acceptsArgument({ input: { schema } }: Tool, field: string): boolean {
  const { properties, additionalProperties, patternProperties } = schema;
  if (isSchemaObject(properties) && Object.hasOwn(properties, field)) return true;
  if (patternProperties !== undefined || isSchemaObject(additionalProperties)) return true;
  // A composed schema, or one without properties, does not limit the names.
  return (
    additionalProperties !== false &&
    (!isSchemaObject(properties) || ['allOf', 'anyOf', 'oneOf', '$ref'].some((key) => schema[key] !== undefined))
  );
}

const isSchemaObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
