import type { z } from 'zod';
import { editorSchema, type Shape } from './keys.js';
import { nearest } from './nearest.js';
import { dotted, type Problem } from './problem.js';
import type { YamlFile } from './yaml-file.js';

type Issue = z.core.$ZodIssue;

/** What the schema found wrong, in our words, each with its place and a guess at what was meant. */
export function problemsOf(issues: readonly Issue[], yaml: YamlFile, file: string): readonly Problem[] {
  return issues
    .flatMap((issue) => problemOf(issue, yaml, file))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

function problemOf(issue: Issue, yaml: YamlFile, file: string): readonly Problem[] {
  const { path } = issue;
  const here = { file, ...yaml.place(path), path: dotted(path) };
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        file,
        ...yaml.place(path, key),
        path: dotted([...path, key]),
        message: 'is not a known key',
        ...meant(key, keysAt(path, yaml.value)),
      }));
    case 'invalid_type':
      return [{ ...here, ...expected(issue.expected, valueAt(yaml.value, path)) }];
    case 'invalid_value':
      return [
        {
          ...here,
          message: `must be ${oneOf(issue.values.map(String))}`,
          ...meant(valueAt(yaml.value, path), issue.values.map(String)),
        },
      ];
    case 'invalid_union': {
      const kinds = keysAt([...path.slice(0, -1), 'kind'], yaml.value);
      return [
        {
          ...here,
          message: kinds.length === 0 ? 'is not of a kind that this version knows' : `must be ${oneOf(kinds)}`,
          ...meant(valueAt(yaml.value, path), kinds),
        },
      ];
    }
    case 'invalid_key':
      return [{ ...here, message: `has a name that cannot be used: ${issue.issues[0]?.message ?? 'invalid'}` }];
    default:
      return [{ ...here, message: issue.message }];
  }
}

const article = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a set of keys',
  record: 'a set of keys',
  array: 'a list',
} as const;

function expected(type: string, given: unknown): Pick<Problem, 'message' | 'hint'> {
  if (given === undefined) return { message: 'is required' };
  if (type === 'never') return { message: 'is not of a kind that this version knows' };
  const wanted = Object.hasOwn(article, type) ? article[type as keyof typeof article] : type;
  if (given === null) return { message: `must be ${wanted}, and is empty`, hint: 'Give it a value or remove the key' };
  const got = Array.isArray(given) ? article.array : (article[typeof given as keyof typeof article] ?? typeof given);
  return { message: got === wanted || type === 'int' ? `must be ${wanted}` : `must be ${wanted}, not ${got}` };
}

const oneOf = (options: readonly string[]): string =>
  options.length === 1 ? (options[0] ?? '') : `one of ${options.join(', ')}`;

function meant(given: unknown, known: readonly string[]): Pick<Problem, 'hint'> {
  const guess = typeof given === 'string' ? nearest(given, known) : undefined;
  return guess === undefined ? {} : { hint: `Did you mean ${guess}?` };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    // `hasOwn` has just shown that the key is there.
    here = (here as Record<PropertyKey, unknown>)[part];
  }
  return here;
}

/** The keys that may stand at a path, or for a path that ends in `kind`, the kinds; read from the schema editors get. */
function keysAt(path: readonly PropertyKey[], value: unknown): readonly string[] {
  let shape: Shape | undefined = editorSchema();
  for (const [index, part] of path.entries()) {
    const own = shape?.properties?.[String(part)];
    const kinds = shape?.oneOf ?? shape?.anyOf;
    if (kinds !== undefined && part === 'kind')
      return kinds.flatMap((kind) => String(kind.properties?.['kind']?.const ?? ''));
    const inherited: Shape | undefined =
      typeof shape?.additionalProperties === 'object' ? shape.additionalProperties : shape?.items;
    shape = narrowed(own ?? inherited, valueAt(value, path.slice(0, index + 1)));
  }
  return Object.keys(shape?.properties ?? {});
}

/** Of a choice between kinds, the one that the value names. */
function narrowed(shape: Shape | undefined, value: unknown): Shape | undefined {
  const kind = valueAt(value, ['kind']);
  return (shape?.oneOf ?? shape?.anyOf)?.find((one) => one.properties?.['kind']?.const === kind) ?? shape;
}
