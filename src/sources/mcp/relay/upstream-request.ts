import type { Call } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import type { Outcome } from '../../../core/outcome.js';
import { pause } from '../../../lib/pause.js';
import { isJsonObject } from '../../../wire/message.js';
import type { Reply } from '../../../wire/reply.js';
import type { CallListener, Session } from '../sessions/session.js';
import type { CarriedState } from './carried-state.js';

/** One upstream request on behalf of a call. */
export interface UpstreamRequest {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly params: JsonObject;
  /** Additional headers for HTTP servers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The server declares that it runs this tool only as a task (2025-11-25). */
  readonly requiresTask?: boolean;
  /** Converts the finished result. */
  readonly toOutcome: (result: JsonObject) => Outcome;
}

const timeoutMarginMs = 1_000;
const defaultTimeoutMs = 300_000;
/** Pauses before a request that the server did not process is sent again. */
const retryPausesMs = [100, 300, 900];

/**
 * Waits before the next attempt; false if there must be none. Only a request that the server did not process is sent again: any
 * other could repeat an effect.
 */
export async function mayRetry(reply: Reply, attempt: number, signal: AbortSignal): Promise<boolean> {
  if (!('failure' in reply) || reply.failure.unprocessed !== true) return false;
  if (reply.failure.kind === 'session') return attempt === 0 && !signal.aborted;
  const pauseMs = retryPausesMs[attempt];
  return pauseMs !== undefined && (await pause(pauseMs, signal));
}

/** Shared by all calls without client capabilities, and compared by identity. */
export const noCapabilities: JsonObject = {};

/** Capabilities of the client that matter to servers. */
export const forwardedCapabilities = ({ back }: Call): JsonObject => {
  const { elicitation, sampling, roots } = back?.capabilities ?? {};
  if (elicitation === undefined && sampling === undefined && roots === undefined) return noCapabilities;
  return {
    ...(isJsonObject(elicitation) && { elicitation }),
    ...(isJsonObject(sampling) && { sampling }),
    ...(isJsonObject(roots) && { roots }),
  };
};

export const toListener = ({ principal, session = '', back }: Call): CallListener => {
  const clientKey = `${principal.id}\n${session}`;
  if (back?.progress === undefined && back?.log === undefined) return { clientKey };
  return { clientKey, ...(back.progress && { progress: back.progress }), ...(back.log && { log: back.log }) };
};

/** What a request is sent with. */
export interface Delivery {
  readonly call: Call;
  readonly request: UpstreamRequest;
  readonly session: Session;
  readonly listener: CallListener;
  readonly state: CarriedState | undefined;
  readonly capabilities: JsonObject;
}

export const timeoutOf = ({ timeoutMs = defaultTimeoutMs }: Call): number => timeoutMs + timeoutMarginMs;

/** Sends a request, with the client's answers if it continues one that asked; `extra` are further parameters. */
export function sendRequest(
  { call, request, session, listener, state, capabilities }: Delivery,
  signal: AbortSignal,
  extra?: JsonObject,
): Promise<Reply> {
  // A server that sent no state gets the answers without one.
  const isAnswer = state !== undefined || (call.confirmation?.state === '' && session.peer.modern);
  const params: JsonObject =
    !isAnswer && extra === undefined
      ? request.params
      : {
          ...request.params,
          ...extra,
          ...(isAnswer && { inputResponses: call.confirmation?.answers ?? {} }),
          ...(state?.upstream !== undefined && { requestState: state.upstream }),
        };
  return session.request(request.method, params, {
    timeoutMs: timeoutOf(call),
    signal,
    listener,
    capabilities,
    meta: call.trace ? { ...call.meta, ...call.trace } : call.meta,
    headers: request.headers,
  });
}
