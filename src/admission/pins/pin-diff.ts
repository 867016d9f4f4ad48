import type { Json, JsonObject } from '../../core/json.js';
import { escapeInvisible } from '../../lib/escape-invisible.js';

/** One difference between two definitions, at a dotted path. */
export interface DefinitionDifference {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

const maxDifferences = 200;
const maxShownCharacters = 400;

const isDefinitionObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists every leaf in which two definitions differ. */
export function diffDefinitions(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): readonly DefinitionDifference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isDefinitionObject(before) && isDefinitionObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys
      .flatMap((key) =>
        diffDefinitions(ownValue(before, key), ownValue(after, key), path === '' ? key : `${path}.${key}`),
      )
      .slice(0, maxDifferences);
  }
  return [
    {
      path: path === '' ? '(whole)' : path,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
  ];
}

const ownValue = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** Formats differences for a terminal; control characters in untrusted text are escaped, so it cannot move the cursor. */
export function diffLines(found: readonly DefinitionDifference[]): readonly string[] {
  const show = (value: Json): string => {
    const text = escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value));
    return text.length > maxShownCharacters
      ? `${text.slice(0, maxShownCharacters)}… (${text.length} characters)`
      : text;
  };
  return found.flatMap(({ path, before, after }) => [
    `  ${escapeInvisible(path)}`,
    ...(before === undefined ? [] : [`    - ${show(before)}`]),
    ...(after === undefined ? [] : [`    + ${show(after)}`]),
  ]);
}
