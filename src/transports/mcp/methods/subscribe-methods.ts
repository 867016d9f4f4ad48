import type { Gateway } from '../../../core/gateway.js';
import type { JsonObject } from '../../../core/json.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { encodeNotification } from '../../../wire/message.js';
import { refusal } from '../request-context.js';
import type { RequestContext, Reply } from '../request-context.js';
import { toCallRequest } from './call-methods.js';
import type { CallMethod } from './call-methods.js';
import { resolveQuestions } from './client-questions.js';
import type { InvokeCall } from './client-questions.js';
import type { Encoder } from './encode-result.js';

const maxWatches = 256;

/** Resource subscriptions of one legacy session. */
export interface SessionWatches {
  has(uri: string): boolean;
  readonly size: number;
  readonly uris: readonly string[];
  /** Reserves an address; returns a function that takes over the subscription once it is open. */
  begin(uri: string): (stop: () => void) => void;
  end(uri: string): void;
  /** Sends a message that belongs to no request. */
  readonly push: (text: string) => void;
  close(): void;
}

export function sessionWatches(push: (text: string) => void): SessionWatches {
  const watches = new Map<string, { stop: () => void }>();
  const end = (uri: string): void => {
    const watch = watches.get(uri);
    watches.delete(uri);
    watch?.stop();
  };
  return {
    push,
    has: (uri) => watches.has(uri),
    get size() {
      return watches.size;
    },
    get uris() {
      return [...watches.keys()];
    },
    begin(uri) {
      const watch = { stop: (): void => {} };
      watches.set(uri, watch);
      return (stop) => {
        // Ended while it was being opened.
        if (watches.get(uri) === watch) watch.stop = stop;
        else stop();
      };
    },
    end,
    close() {
      for (const uri of Array.from(watches.keys())) end(uri);
    },
  };
}

/** Handlers of `resources/subscribe` and `resources/unsubscribe`; a subscription is a guarded call of the session's principal. */
export function subscribeMethods(gateway: Gateway, encode: Encoder): Readonly<Record<string, CallMethod>> {
  const subscribe = async (
    uri: string,
    params: JsonObject,
    context: RequestContext,
    watches: SessionWatches,
  ): Promise<Reply> => {
    const request = toCallRequest('resources/subscribe', {}, params, context, context.signal);
    const changed = (): void => watches.push(encodeNotification('notifications/resources/updated', { uri }));
    const opened = watches.begin(uri);
    const invoke: InvokeCall = async (confirmed) => {
      const answer = await gateway.subscribe({
        ...request,
        uri,
        changed,
        ...(confirmed && { confirmation: confirmed }),
      });
      if (answer.outcome.kind === 'done') opened(answer.stop);
      return answer;
    };
    const answer = await resolveQuestions(await invoke(), invoke, context);
    if (!('question' in answer) && answer.outcome.kind === 'done')
      return { result: encode.result({}, context.features) };
    watches.end(uri);
    return 'question' in answer
      ? { error: rpcError(rpcCodes.invalidRequest, 'This subscription needs approval') }
      : encode.read(answer, context.features, {}, uri);
  };

  return {
    'resources/subscribe': (params, context) => {
      const { uri } = params;
      const { watches } = context;
      if (typeof uri !== 'string')
        return Promise.resolve(refusal(rpcError(rpcCodes.invalidParams, 'params.uri must be a string')));
      if (watches === undefined) return Promise.resolve(refusal(rpcError(rpcCodes.methodNotFound, 'Method not found')));
      if (watches.has(uri)) return Promise.resolve({ result: encode.result({}, context.features) });
      if (watches.size >= maxWatches)
        return Promise.resolve(
          refusal(rpcError(rpcCodes.invalidParams, `At most ${maxWatches} resource subscriptions are allowed`)),
        );
      return subscribe(uri, params, context, watches);
    },
    'resources/unsubscribe': ({ uri }, { watches, features }) => {
      if (typeof uri !== 'string')
        return Promise.resolve(refusal(rpcError(rpcCodes.invalidParams, 'params.uri must be a string')));
      watches?.end(uri);
      return Promise.resolve({ result: encode.result({}, features) });
    },
  };
}
