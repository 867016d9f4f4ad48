import type { Args } from '../../../core/call.js';
import type { Answer, CallRequest, Gateway } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { isJsonObject } from '../../../wire/message.js';
import { metaOf, traceOf } from '../../../wire/meta.js';
import { backChannel } from './back-channel.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import type { Encoder, FinalAnswer } from './encode-result.js';
import { readConfirmation, resolveQuestions } from './client-questions.js';
import type { InvokeCall } from './client-questions.js';
import type { linkLargeParts } from './large-parts.js';
import type { TaskCalls } from '../tasks/task-calls.js';

/** Handler of a method that runs something. */
export type CallMethod = (params: JsonObject, context: RequestContext) => Promise<Reply>;

/** `_meta` key that carries an approval ticket; not forwarded to upstream servers. */
const ticketKey = 'toolgate/ticket';
/** Keys that this hop consumes; forwarding them would mix two connections. */
const consumedMetaKeys = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage', ticketKey]);

/** `_meta` without the keys that this hop consumes. */
function relayedMeta(params: JsonObject): JsonObject | undefined {
  const meta = metaOf(params);
  if (!meta) return undefined;
  let rest: Record<string, JsonObject[string]> | undefined;
  for (const key of Object.keys(meta)) {
    if (consumedMetaKeys.has(key) || key.startsWith('io.modelcontextprotocol/')) continue;
    rest ??= Object.create(null) as Record<string, JsonObject[string]>; // no prototype: prevents prototype pollution through `__proto__`
    rest[key] = meta[key];
  }
  return rest;
}

/** The request while its optional fields are assigned. */
type MutableCallRequest = { -readonly [Key in keyof CallRequest]: CallRequest[Key] };

/** Builds the gateway request; assigns optional fields one by one, because object spread costs as much as a guard. */
export function toCallRequest(
  tool: string,
  args: Args,
  params: JsonObject,
  context: RequestContext,
  signal: AbortSignal,
): CallRequest {
  const { view, via, session } = context;
  const request: MutableCallRequest = {
    tool,
    args,
    principal: view.principal,
    via,
    signal,
    back: backChannel(params, context),
  };
  // Fields are left out when absent, because `exactOptionalPropertyTypes` distinguishes absent from undefined.
  if (view.profile !== undefined) request.profile = view.profile;
  if (view.peer !== undefined) request.peer = view.peer;
  if (session !== undefined) request.session = session;
  const trace = traceOf(params);
  if (trace) request.trace = trace;
  const meta = relayedMeta(params);
  if (meta) request.meta = meta;
  const ticket = metaOf(params)?.[ticketKey];
  if (typeof ticket === 'string') request.ticket = ticket;
  return request;
}

/** Whether the outcome needs no further input. */
const isFinal = (answer: Answer): answer is FinalAnswer => answer.outcome.kind !== 'confirm';

/** Legacy clients are asked directly and never send confirmations. */
const confirmationFor = (params: JsonObject, { features }: RequestContext) =>
  features.modern ? readConfirmation(params) : undefined;

/** Error for parameters of the wrong type. */
const invalidParams = (message: string): Reply => refusal(rpcError(rpcCodes.invalidParams, message));

/** Handlers of `tools/call`, `prompts/get` and `resources/read`; all run through the guards. */
export function callMethodHandlers(
  gateway: Gateway,
  encode: Encoder,
  options: {
    readonly caching: JsonObject;
    readonly linkLarge: ReturnType<typeof linkLargeParts>;
    readonly tasks: TaskCalls;
  },
): Readonly<Record<string, CallMethod>> {
  const { linkLarge, tasks, caching } = options;

  /** Converts an answer to a reply: at once if it is final, else after its questions are answered. */
  const toReply = (
    answer: Answer,
    invoke: InvokeCall,
    context: RequestContext,
    finish: (answer: FinalAnswer) => Reply,
  ): Reply | Promise<Reply> => (isFinal(answer) ? finish(answer) : askAndReply(answer, invoke, context, finish));

  const askAndReply = async (
    answer: Answer,
    invoke: InvokeCall,
    context: RequestContext,
    finish: (answer: FinalAnswer) => Reply,
  ): Promise<Reply> => {
    const resolved = await resolveQuestions(answer, invoke, context);
    return 'question' in resolved ? inputRequired(resolved.question, context) : finish(resolved);
  };

  /** Result that asks a modern client for input; the client repeats the call with the answers. */
  const inputRequired = (
    { asks, state }: { readonly asks: object; readonly state: string },
    { features }: RequestContext,
  ): Reply => ({
    // Asks are plain JSON; `input_required` marks the result as not final.
    result: encode.result(
      // An empty state is left out: clients echo it otherwise.
      { resultType: 'input_required', inputRequests: asks as JsonObject, ...(state !== '' && { requestState: state }) },
      features,
    ),
  });

  return {
    'tools/call': async (params, context) => {
      const { name, arguments: args = {} } = params;
      if (typeof name !== 'string') return invalidParams('params.name must be a string');
      if (!isJsonObject(args))
        return refusal(rpcError(rpcCodes.invalidParams, 'params.arguments must be an object', { fault: 'not_object' }));
      // Read before the call: a malformed confirmation must not run anything.
      const confirmation = confirmationFor(params, context);
      if (confirmation && 'code' in confirmation) return refusal(confirmation);
      const taskMode = tasks.modeOf(name, params, context);
      // The client demands a task for a tool that supports none, or the other way round.
      if (taskMode === 'refused') return tasks.refusal(context);
      const invokeWith = (signal: AbortSignal): InvokeCall => {
        const request = toCallRequest(name, args, params, context, signal);
        return (confirmed) => gateway.call(confirmed ? { ...request, confirmation: confirmed } : request);
      };
      const finish = (answer: FinalAnswer): Reply => encode.call(linkLarge(answer, context.view), context.features);
      // The usual case, without the bookkeeping of a task.
      if (taskMode === 'no') {
        const invoke = invokeWith(context.signal);
        return toReply(await invoke(confirmation), invoke, context, finish);
      }
      const begin = (signal: AbortSignal) => {
        const invoke = invokeWith(signal);
        // Clients fetch a task result repeatedly: store it once, when the call ends.
        const invokeAndStore: InvokeCall = async (confirmed) => linkLarge(await invoke(confirmed), context.view);
        return { first: invokeAndStore(confirmation), invoke: invokeAndStore };
      };
      return tasks.start({
        tool: name,
        params,
        context,
        begin,
        finish: async (first, invoke) => toReply(await first, invoke, context, finish),
        immediate: taskMode === 'immediate',
      });
    },
    'prompts/get': async (params, context) => {
      const { name, arguments: args = {} } = params;
      if (typeof name !== 'string') return invalidParams('params.name must be a string');
      if (!isJsonObject(args)) return invalidParams('params.arguments must be an object');
      const confirmation = confirmationFor(params, context);
      if (confirmation && 'code' in confirmation) return refusal(confirmation);
      const request = toCallRequest(name, args, params, context, context.signal);
      const invoke: InvokeCall = (confirmed) =>
        gateway.prompt({ ...request, name, ...(confirmed && { confirmation: confirmed }) });
      return toReply(await invoke(confirmation), invoke, context, (answer) => encode.prompt(answer, context.features));
    },
    'resources/read': async (params, context) => {
      const { uri } = params;
      if (typeof uri !== 'string') return invalidParams('params.uri must be a string');
      const confirmation = confirmationFor(params, context);
      if (confirmation && 'code' in confirmation) return refusal(confirmation);
      const request = toCallRequest('resources/read', {}, params, context, context.signal);
      const invoke: InvokeCall = (confirmed) =>
        gateway.read({ ...request, uri, ...(confirmed && { confirmation: confirmed }) });
      return toReply(await invoke(confirmation), invoke, context, (answer) =>
        encode.read(answer, context.features, caching, uri),
      );
    },
  };
}
