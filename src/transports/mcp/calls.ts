import type { Args } from '../../core/call.js';
import type { Answer, CallRequest, Gateway } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import { isObject } from '../../wire/message.js';
import { metaOf, traceOf } from '../../wire/meta.js';
import { backChannel } from './back-channel.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import type { Encoder, Settled } from './encode.js';
import { confirmationOf, throughQuestions } from './questions.js';
import type { Attempt } from './questions.js';
import type { ResultShelf } from './shelf.js';
import type { TaskCalls } from './task-calls.js';

/** Answers one of the methods that run something. */
export type Runner = (params: JsonObject, caller: Caller) => Promise<Reply>;

/** The `_meta` key by which a client that was told to wait names its ticket; upstreams do not get to see it. */
const ticketKey = 'toolgate/ticket';
const reserved = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage', ticketKey]);

/** What is left of `_meta` when the keys that this hop consumes are gone. */
function relayedMeta(params: JsonObject): JsonObject | undefined {
  const meta = metaOf(params);
  if (!meta) return undefined;
  let rest: Record<string, JsonObject[string]> | undefined;
  for (const key of Object.keys(meta)) {
    if (reserved.has(key) || key.startsWith('io.modelcontextprotocol/')) continue;
    rest ??= Object.create(null) as Record<string, JsonObject[string]>; // no prototype: `__proto__` is a key like any other
    rest[key] = meta[key];
  }
  return rest;
}

type Growing = { -readonly [Key in keyof CallRequest]: CallRequest[Key] };

/** What the gateway is handed; what is not there is left out rather than spread, which would cost as much as a guard. */
function requestOf(tool: string, args: Args, params: JsonObject, caller: Caller, signal: AbortSignal): CallRequest {
  const { view, via, session } = caller;
  const request: Growing = { tool, args, principal: view.principal, via, signal, back: backChannel(params, caller) };
  if (view.profile !== undefined) request.profile = view.profile;
  if (session !== undefined) request.session = session;
  const trace = traceOf(params);
  if (trace) request.trace = trace;
  const meta = relayedMeta(params);
  if (meta) request.meta = meta;
  const ticket = metaOf(params)?.[ticketKey];
  if (typeof ticket === 'string') request.ticket = ticket;
  return request;
}

const isSettled = (answer: Answer): answer is Settled => answer.outcome.kind !== 'confirm';

const confirmationIn = (params: JsonObject, { features }: Caller) =>
  features.modern ? confirmationOf(params) : undefined;

const badParams = (message: string): Reply => refusal(rpcError(codes.invalidParams, message));

/** The methods that run something through the gateway's guards. */
export function callMethods(
  gateway: Gateway,
  encode: Encoder,
  options: { readonly caching: JsonObject; readonly shelf: ResultShelf; readonly tasks: TaskCalls },
): Readonly<Record<string, Runner>> {
  const { shelf, tasks, caching } = options;

  /** What goes on the wire for an answer: at once where it is settled, else after its questions. */
  const settle = (
    answer: Answer,
    attempt: Attempt,
    caller: Caller,
    finish: (answer: Settled) => Reply,
  ): Reply | Promise<Reply> => (isSettled(answer) ? finish(answer) : asked(answer, attempt, caller, finish));

  const asked = async (
    answer: Answer,
    attempt: Attempt,
    caller: Caller,
    finish: (answer: Settled) => Reply,
  ): Promise<Reply> => {
    const ready = await throughQuestions(answer, attempt, caller);
    return 'question' in ready ? inputRequired(ready.question, caller) : finish(ready);
  };

  const inputRequired = (
    { asks, state }: { readonly asks: object; readonly state: string },
    { features }: Caller,
  ): Reply => ({
    // Asks are JSON by their types; the result type says that this is not the end.
    result: encode.result(
      { resultType: 'input_required', inputRequests: asks as JsonObject, ...(state !== '' && { requestState: state }) },
      features,
    ),
  });

  return {
    'tools/call': async (params, caller) => {
      const { name, arguments: args = {} } = params;
      if (typeof name !== 'string') return badParams('params.name must be a string');
      if (!isObject(args)) return badParams('params.arguments must be an object');
      const confirmation = confirmationIn(params, caller);
      if (confirmation && 'code' in confirmation) return refusal(confirmation);
      const asTask = tasks.wanted(name, params, caller);
      if (asTask === 'refused') return tasks.refusal(caller);
      const attemptUnder = (signal: AbortSignal): Attempt => {
        const request = requestOf(name, args, params, caller, signal);
        return (confirmed) => gateway.call(confirmed ? { ...request, confirmation: confirmed } : request);
      };
      const finish = (answer: Settled): Reply => encode.call(shelf.shelve(answer, caller.view), caller.features);
      if (asTask === 'no') {
        const attempt = attemptUnder(caller.signal);
        return settle(await attempt(confirmation), attempt, caller, finish);
      }
      const begin = (signal: AbortSignal) => {
        const attempt = attemptUnder(signal);
        // A task's result is asked for again and again: it goes to the shelf once, when it is there.
        const shelved: Attempt = async (confirmed) => shelf.shelve(await attempt(confirmed), caller.view);
        return { first: shelved(confirmation), attempt: shelved };
      };
      return tasks.start({
        tool: name,
        params,
        caller,
        begin,
        finish: async (first, attempt) => settle(await first, attempt, caller, finish),
        atOnce: asTask === 'at-once',
      });
    },
    'prompts/get': async (params, caller) => {
      const { name, arguments: args = {} } = params;
      if (typeof name !== 'string') return badParams('params.name must be a string');
      if (!isObject(args)) return badParams('params.arguments must be an object');
      const confirmation = confirmationIn(params, caller);
      if (confirmation && 'code' in confirmation) return refusal(confirmation);
      const request = requestOf(name, args, params, caller, caller.signal);
      const attempt: Attempt = (confirmed) =>
        gateway.prompt({ ...request, name, ...(confirmed && { confirmation: confirmed }) });
      return settle(await attempt(confirmation), attempt, caller, (answer) => encode.prompt(answer, caller.features));
    },
    'resources/read': async (params, caller) => {
      const { uri } = params;
      if (typeof uri !== 'string') return badParams('params.uri must be a string');
      const kept = shelf.read(uri, caller.view);
      if (kept) return encode.read(kept, caller.features, caching, uri);
      const confirmation = confirmationIn(params, caller);
      if (confirmation && 'code' in confirmation) return refusal(confirmation);
      const request = requestOf('resources/read', {}, params, caller, caller.signal);
      const attempt: Attempt = (confirmed) =>
        gateway.read({ ...request, uri, ...(confirmed && { confirmation: confirmed }) });
      return settle(await attempt(confirmation), attempt, caller, (answer) =>
        encode.read(answer, caller.features, caching, uri),
      );
    },
  };
}
