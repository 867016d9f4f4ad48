import type { Json, JsonObject } from '../core/json.js';
import { visible } from '../lib/visible.js';

/** One difference between two definitions, at a dotted path. */
export interface Difference {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

const maxDifferences = 200;
const maxShown = 400;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every leaf in which two definitions differ. */
export function differences(before: Json | undefined, after: Json | undefined, path = ''): readonly Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys
      .flatMap((key) => differences(own(before, key), own(after, key), path === '' ? key : `${path}.${key}`))
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

const own = (value: JsonObject, key: string): Json | undefined => (Object.hasOwn(value, key) ? value[key] : undefined);

/** Differences as lines for a terminal; a stranger's text cannot move the cursor or hide in it. */
export function diffLines(found: readonly Difference[]): readonly string[] {
  const show = (value: Json): string => {
    const text = visible(typeof value === 'string' ? value : JSON.stringify(value));
    return text.length > maxShown ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;
  };
  return found.flatMap(({ path, before, after }) => [
    `  ${visible(path)}`,
    ...(before === undefined ? [] : [`    - ${show(before)}`]),
    ...(after === undefined ? [] : [`    + ${show(after)}`]),
  ]);
}
