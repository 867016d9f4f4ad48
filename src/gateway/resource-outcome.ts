import type { Json, JsonObject } from '../core/json.js';
import type { Done } from '../core/outcome.js';

/**
 * The result of a tool as contents of a resource. Contents are built from the data, so that the markers around the text of the
 * tool are not part of them, and the report about the result must not claim that they are.
 */
export function toResourceOutcome({ meta, ...outcome }: Done, contents: Json): Done {
  const { 'toolgate/sanitized': sanitized, ...others } = meta ?? {};
  const { enveloped: _, ...rest } = (sanitized ?? {}) as JsonObject; // an object, as the sanitiser writes it
  const isTouched = Object.values(rest).some((value) => value === true || Object.keys(Object(value)).length > 0);
  return {
    ...outcome,
    content: [],
    data: { contents: [contents] },
    ...(meta && { meta: { ...others, ...(isTouched && { 'toolgate/sanitized': rest }) } }),
  };
}
