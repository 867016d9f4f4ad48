import type { Json, JsonObject } from '../../core/json.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { sourceScanKey } from './pins.js';

/** One difference between two definitions, at a dotted path. */
interface DefinitionDifference {
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

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
    return keys.flatMap((key) =>
      diffDefinitions(ownValue(before, key), ownValue(after, key), path === '' ? key : `${path}.${key}`),
    );
  }
  return [
    {
      path: path === '' ? '(whole)' : path,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
  ];
}

/** Differences of a pending definition. Findings of a scan are listed one by one: their keys are fingerprints, which a person cannot compare. */
export const diffPending = (
  key: string,
  before: JsonObject | undefined,
  after: JsonObject,
): readonly DefinitionDifference[] => {
  if (key !== sourceScanKey) return diffDefinitions(before, after);
  return diffDefinitions(before ?? {}, after).flatMap(({ path, ...values }): readonly DefinitionDifference[] => {
    if (path !== 'reasons') return [{ path: path.replace(/^reasons\..*$/s, 'finding'), ...values }];
    return Object.values(isDefinitionObject(values.after) ? values.after : {}).map((reason) => ({
      path: 'finding',
      after: reason ?? '',
    }));
  });
};

const ownValue = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/**
 * Formats differences for a terminal, uncut: an approval covers all of it. Control characters in untrusted text are escaped, so it
 * cannot move the cursor; its line ends stay line ends.
 */
export function diffLines(found: readonly DefinitionDifference[]): readonly string[] {
  const show = (value: Json, mark: string): readonly string[] =>
    (typeof value === 'string' ? value : JSON.stringify(value))
      .split('\n')
      .map((line) => `    ${mark} ${escapeInvisible(line)}`);
  return found.flatMap(({ path, before, after }) => [
    `  ${escapeInvisible(path)}`,
    ...(before === undefined ? [] : show(before, '-')),
    ...(after === undefined ? [] : show(after, '+')),
  ]);
}
