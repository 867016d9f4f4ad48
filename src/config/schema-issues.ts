import type { z } from 'zod';
import { editorSchema, type Shape } from './keys.js';
import { nearest } from '../lib/text/nearest.js';
import { dotted, type Problem } from './problem.js';
import type { YamlFile } from './yaml-file.js';

/** An issue as zod reports it. */
type Issue = z.core.$ZodIssue;

/** Converts schema issues into problems with a position and a suggestion for misspelt keys. */
export function toProblems(issues: readonly Issue[], yaml: YamlFile, file: string): readonly Problem[] {
  // In the order of the file, as a person fixes them.
  return issues
    .flatMap((issue) => toIssueProblems(issue, yaml, file))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

function toIssueProblems(issue: Issue, yaml: YamlFile, file: string): readonly Problem[] {
  const { path } = issue;
  const current = { file, ...yaml.place(path), path: dotted(path) };
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        file,
        ...yaml.place(path, key),
        path: dotted([...path, key]),
        message: 'is not a known key',
        ...suggestion(key, keysAt(path, yaml.value)),
      }));
    case 'invalid_type':
      return [{ ...current, ...typeProblem(issue.expected, valueAt(yaml.value, path)) }];
    case 'invalid_value':
      return [
        {
          ...current,
          message: `must be ${oneOf(issue.values.map(String))}`,
          ...suggestion(valueAt(yaml.value, path), issue.values.map(String)),
        },
      ];
    // Zod cannot name the intended variant; the `kind` of the value can.
    case 'invalid_union': {
      const kinds = keysAt([...path.slice(0, -1), 'kind'], yaml.value);
      return [
        {
          ...current,
          message: kinds.length === 0 ? 'unknown `kind`' : `must be ${oneOf(kinds)}`,
          ...suggestion(valueAt(yaml.value, path), kinds),
        },
      ];
    }
    case 'invalid_key':
      return [{ ...current, message: `has an invalid name: ${issue.issues[0]?.message ?? 'invalid'}` }];
    default:
      return [{ ...current, message: issue.message }];
  }
}

/** Types in words that a person who writes YAML uses. */
const typeNames = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
} as const;

function typeProblem(type: string, given: unknown): Pick<Problem, 'message' | 'hint'> {
  if (given === undefined) return { message: 'is required' };
  // `never` is zod's type for a union without a matching variant.
  if (type === 'never') return { message: 'unknown `kind`' };
  const wantedType = Object.hasOwn(typeNames, type) ? typeNames[type as keyof typeof typeNames] : type;
  // `key:` without a value is null in YAML, which surprises many.
  if (given === null) return { message: `must be ${wantedType}, but is empty`, hint: 'Set a value or remove the key' };
  const givenType = Array.isArray(given)
    ? typeNames.array
    : (typeNames[typeof given as keyof typeof typeNames] ?? typeof given);
  return {
    message:
      givenType === wantedType || type === 'int' ? `must be ${wantedType}` : `must be ${wantedType}, not ${givenType}`,
  };
}

/** A choice as a phrase: the only value, or "one of" several. */
const oneOf = (options: readonly string[]): string =>
  options.length === 1 ? (options[0] ?? '') : `one of ${options.join(', ')}`;

/** A hint with the nearest known word, if the given one looks like a typing error. */
function suggestion(given: unknown, known: readonly string[]): Pick<Problem, 'hint'> {
  const guess = typeof given === 'string' ? nearest(given, known) : undefined;
  return guess === undefined ? {} : { hint: `Did you mean ${guess}?` };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  // The path comes from the file, and a key may be `__proto__`.
  for (const part of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    // Checked by `hasOwn`.
    current = (current as Record<PropertyKey, unknown>)[part];
  }
  return current;
}

/** Keys allowed at a path, or the kinds for a path that ends in `kind`; read from the JSON Schema for editors. */
function keysAt(path: readonly PropertyKey[], value: unknown): readonly string[] {
  let shape: Shape | undefined = editorSchema();
  for (const [index, part] of path.entries()) {
    const own = shape?.properties?.[String(part)];
    const kinds = shape?.oneOf ?? shape?.anyOf;
    if (kinds !== undefined && part === 'kind')
      return kinds.flatMap((kind) => String(kind.properties?.['kind']?.const ?? ''));
    const inherited: Shape | undefined =
      typeof shape?.additionalProperties === 'object' ? shape.additionalProperties : shape?.items;
    shape = narrowByKind(own ?? inherited, valueAt(value, path.slice(0, index + 1)));
  }
  return Object.keys(shape?.properties ?? {});
}

/** Selects the variant that the `kind` of the value names. */
function narrowByKind(shape: Shape | undefined, value: unknown): Shape | undefined {
  const kind = valueAt(value, ['kind']);
  return (shape?.oneOf ?? shape?.anyOf)?.find((one) => one.properties?.['kind']?.const === kind) ?? shape;
}
