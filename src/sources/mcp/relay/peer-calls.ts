import type { Call, LogLevel, Progress } from '../../../core/call.js';
import { deadlinePassed } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Outcome } from '../../../core/outcome.js';
import type { PeerAnswer, PeerRequest, Peers } from '../../../core/peers.js';
import { monotonic } from '../../../lib/clock.js';
import { callOutcome, dataOutcome } from './outcomes.js';
import type { UpstreamRequest } from './upstream-request.js';

/** Parts of a call that another replica needs to run it. */
type SentCall = Pick<
  Call,
  'id' | 'tool' | 'principal' | 'profile' | 'via' | 'correlationId' | 'timeoutMs' | 'trace' | 'confirmation' | 'session'
> &
  Pick<Call, 'meta'>;

interface SentRequest {
  readonly call: SentCall;
  readonly request: Pick<UpstreamRequest, 'method' | 'params' | 'headers' | 'requiresTask'>;
  readonly capabilities?: JsonObject;
  readonly rootsVersion?: number;
  readonly wants: { readonly progress: boolean; readonly log: boolean };
}

type SentEvent = { readonly progress: Progress } | { readonly log: readonly [LogLevel, Json, string | undefined] };

const verbOf = (source: string): string => `run ${source}`;

/** Has another replica run a call: its guards have passed here, and its result passes the rest of them here. */
export function forwardCall(
  peers: Peers,
  source: string,
  replica: string,
  call: Call,
  { method, params, headers, requiresTask }: UpstreamRequest,
): Promise<PeerAnswer> {
  const { back } = call;
  const sent: SentRequest = {
    call: {
      id: call.id,
      tool: call.tool,
      principal: call.principal,
      profile: call.profile,
      via: call.via,
      correlationId: call.correlationId,
      timeoutMs: call.timeoutMs,
      trace: call.trace,
      confirmation: call.confirmation,
      session: call.session,
      meta: call.meta,
    },
    request: { method, params, ...(headers && { headers }), ...(requiresTask && { requiresTask }) },
    ...(back?.capabilities && { capabilities: back.capabilities }),
    ...(back?.rootsVersion !== undefined && { rootsVersion: back.rootsVersion }),
    wants: { progress: back?.progress !== undefined, log: back?.log !== undefined },
  };
  return peers.ask(replica, verbOf(source), sent as unknown as Json, {
    signal: call.signal,
    onEvent(event) {
      const given = event as unknown as SentEvent; // authenticated, so written by `serveCalls`
      if ('progress' in given) back?.progress?.(given.progress);
      else back?.log?.(...given.log);
    },
  });
}

/** Runs the calls that other replicas forward; `run` must not forward them again. */
export const serveCalls = (
  peers: Peers,
  source: string,
  run: (call: Call, request: UpstreamRequest) => Promise<Outcome>,
): (() => void) =>
  peers.handle(verbOf(source), async (request) => {
    const sent = request.body as unknown as SentRequest; // authenticated, so written by `forwardCall`
    const outcome = await run(receivedCall(request, sent), { ...sent.request, toOutcome: outcomeOf(sent) });
    return outcome as unknown as Json; // outcomes are plain data
  });

/** A caller whose deadline has passed hangs up like one that cancels; about this much earlier it was the deadline. */
const deadlineMarginMs = 250;

function receivedCall({ signal, emit }: PeerRequest, { call, capabilities, rootsVersion, wants }: SentRequest): Call {
  const receivedAt = monotonic();
  const ended = new AbortController();
  signal.addEventListener('abort', () => {
    const isLate = call.timeoutMs !== undefined && monotonic() - receivedAt > call.timeoutMs - deadlineMarginMs;
    ended.abort(isLate ? deadlinePassed : undefined);
  });
  const send = (event: SentEvent): void => emit(event as unknown as Json);
  return {
    id: call.id,
    tool: call.tool,
    principal: call.principal,
    profile: call.profile,
    via: call.via,
    correlationId: call.correlationId,
    timeoutMs: call.timeoutMs,
    trace: call.trace,
    confirmation: call.confirmation,
    session: call.session,
    meta: call.meta,
    args: {},
    receivedAt,
    signal: ended.signal,
    back: {
      ...(capabilities && { capabilities }),
      ...(rootsVersion !== undefined && { rootsVersion }),
      ...(wants.progress && { progress: (progress: Progress) => send({ progress }) }),
      ...(wants.log && { log: (level: LogLevel, data: Json, logger?: string) => send({ log: [level, data, logger] }) }),
    },
  };
}

const outcomeOf = ({ request: { method } }: SentRequest): UpstreamRequest['toOutcome'] =>
  method === 'tools/call'
    ? callOutcome
    : (result) => dataOutcome(result, method === 'prompts/get' ? 'messages' : 'contents');
