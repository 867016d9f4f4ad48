import type { CompletionTarget, Gateway } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { refusal } from '../request-context.js';
import type { CallMethod } from './call-methods.js';
import type { Encoder } from './encode-result.js';

/** Maximum number of values, set by the protocol. */
const maxValues = 100;

/** Validates the reference to a prompt or a resource template. */
function targetOf(ref: JsonObject[string]): CompletionTarget | undefined {
  if (!isJsonObject(ref)) return undefined;
  const { type, name, uri } = ref;
  if (type === 'ref/prompt' && typeof name === 'string') return { type, name };
  return type === 'ref/resource' && typeof uri === 'string' ? { type, uri } : undefined;
}

/** Arguments already completed; values that are not strings are dropped. */
function contextOf(context: JsonObject[string]): Readonly<Record<string, string>> {
  const given = isJsonObject(context) && isJsonObject(context['arguments']) ? context['arguments'] : {};
  // Entries instead of assignment: keys come from the client and may be `__proto__`.
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') entries.push([name, value]);
  return Object.fromEntries(entries);
}

/** Handles `completion/complete`; truncates to the number of values that the protocol allows. */
export const completionMethod =
  (gateway: Gateway, encode: Encoder): CallMethod =>
  async (params, { view, features, via, signal, session }) => {
    const target = targetOf(params['ref']);
    const { argument } = params;
    const name = isJsonObject(argument) ? argument['name'] : undefined;
    const value = isJsonObject(argument) ? argument['value'] : undefined;
    // One error for all forms of a malformed request; clients show it to developers only.
    if (!target || typeof name !== 'string' || typeof value !== 'string') {
      return refusal(
        rpcError(
          rpcCodes.invalidParams,
          'params.ref and params.argument must name a prompt or resource template and one argument',
        ),
      );
    }
    const found = await gateway.complete({
      ...view,
      via,
      signal,
      ...(session !== undefined && { session }),
      target,
      argument: name,
      value,
      context: contextOf(params['context']),
    });
    // The protocol allows 100 values; more would make the result invalid.
    const values = found.values.slice(0, maxValues);
    const hasMore = found.hasMore ?? found.values.length > maxValues;
    return {
      result: encode.result(
        { completion: { values, hasMore, ...(found.total !== undefined && { total: found.total }) } },
        features,
      ),
    };
  };
