import type { ToolError } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import { clientJson, decodeJson } from './json.js';

/** Arguments of a call from JSON text, for the doors without JSON-RPC; `what` names the text in the error message. */
export function decodeArguments(
  bytes: Buffer,
  what: string,
): { readonly args: JsonObject } | { readonly error: ToolError } {
  const decoded = decodeJson(bytes, clientJson);
  if ('problem' in decoded) {
    const { fault, message } = decoded.problem;
    return { error: { code: 'invalid_arguments', message: `${what} cannot be read: ${message}`, data: { fault } } };
  }
  const { value } = decoded;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { args: value as JsonObject } // the type of the array check does not narrow readonly arrays
    : { error: { code: 'invalid_arguments', message: `${what} must be a JSON object`, data: { fault: 'not_object' } } };
}
