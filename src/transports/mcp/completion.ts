import type { CompletionTarget, Gateway } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { refusal } from './caller.js';
import type { Runner } from './calls.js';
import type { Encoder } from './encode.js';

const maxValues = 100;

function targetOf(ref: JsonObject[string]): CompletionTarget | undefined {
  if (!isObject(ref)) return undefined;
  const { type, name, uri } = ref;
  if (type === 'ref/prompt' && typeof name === 'string') return { type, name };
  return type === 'ref/resource' && typeof uri === 'string' ? { type, uri } : undefined;
}

function contextOf(context: JsonObject[string]): Readonly<Record<string, string>> {
  const given = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {};
  const words: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') words.push([name, value]);
  return Object.fromEntries(words);
}

/** Answers `completion/complete` with at most as many values as the protocol allows. */
export const completion =
  (gateway: Gateway, encode: Encoder): Runner =>
  async (params, { view, features, via, signal, session }) => {
    const target = targetOf(params['ref']);
    const { argument } = params;
    const name = isObject(argument) ? argument['name'] : undefined;
    const value = isObject(argument) ? argument['value'] : undefined;
    if (!target || typeof name !== 'string' || typeof value !== 'string') {
      return refusal(rpcError(codes.invalidParams, 'ref and argument do not name what to complete'));
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
    const values = found.values.slice(0, maxValues);
    const hasMore = found.hasMore ?? found.values.length > maxValues;
    return {
      result: encode.result(
        { completion: { values, hasMore, ...(found.total !== undefined && { total: found.total }) } },
        features,
      ),
    };
  };
