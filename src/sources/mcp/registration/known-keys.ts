import type { JsonObject } from '../../../core/json.js';
import { nearest } from '../../../lib/text/nearest.js';

/** Problems of keys that are not known, each with the closest known one: a misspelt setting must not be ignored. */
export const unknownKeys = (given: JsonObject, known: readonly string[], at = ''): readonly string[] =>
  Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = nearest(key, known);
      return `${at}${key} is not a known key${near === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${near}?`}`;
    });

/** The same for documents that others extend: only keys that look like a misspelt one. */
export const misspeltKeys = (given: JsonObject, known: readonly string[], at = ''): readonly string[] =>
  unknownKeys(
    Object.fromEntries(Object.entries(given).filter(([key]) => nearest(key, known) !== undefined)),
    known,
    at,
  );
