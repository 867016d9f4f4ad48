import type { Call, GuardedCall } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import type { Outcome, Question } from '../../../core/outcome.js';
import { refuse } from '../../../core/outcome.js';
import { canonicalJson } from '../../../lib/canonical-json.js';
import { sha256 } from '../../../lib/hash.js';
import { pause } from '../../../lib/pause.js';
import { isJsonObject } from '../../../wire/message.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import { requiredCapability, parseInputRequests } from './input-requests.js';
import { channelEndOutcome, errorOutcome, leaseResult } from './outcomes.js';
import { pendingCalls } from './pending-calls.js';
import type { PendingCallLimits } from './pending-calls.js';
import type { Lease, SessionPool } from '../sessions/session-pool.js';
import { stateCipher } from './state-cipher.js';
import type { CallListener } from '../sessions/session.js';
import { answerTask, followTask, taskCapabilities, requiresTask } from './upstream-tasks.js';
import type { TaskRequest, TaskEnd } from './upstream-tasks.js';

/** One upstream request on behalf of a call. */
interface UpstreamRequest {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly params: JsonObject;
  /** Additional headers for HTTP servers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Converts the finished result. */
  readonly toOutcome: (result: JsonObject) => Outcome;
}

interface RelayOptions {
  readonly source: string;
  readonly remote: boolean;
  readonly pool: SessionPool;
  /** Owner of the session that a call uses. */
  readonly ownerOf: (call: Call) => string;
  readonly pendingCallLimits?: Partial<PendingCallLimits>;
}

export interface Relay {
  run(call: GuardedCall, request: UpstreamRequest): Promise<Outcome>;
  /** Ends all calls that wait for client input. */
  close(): void;
}

/** Guards use the same field for their own states; the prefix marks ours. */
const statePrefix = 'up1.';
const stateTtlMs = 600_000;
const maxStateLength = 40_000;
const timeoutMarginMs = 1_000;
const taskRequestMs = 30_000;
/** Pauses before a request that the server did not process is sent again. */
const retryPausesMs = [100, 300, 900];

/**
 * Waits before the next attempt; false if there must be none. Only a request that the server did not process is sent again: any
 * other could repeat an effect.
 */
async function mayRetry(reply: Reply, attempt: number, signal: AbortSignal): Promise<boolean> {
  if (!('failure' in reply) || reply.failure.unprocessed !== true) return false;
  if (reply.failure.kind === 'session') return attempt === 0 && !signal.aborted;
  const pauseMs = retryPausesMs[attempt];
  return pauseMs !== undefined && (await pause(pauseMs, signal));
}
interface CarriedState {
  /** Hash of principal, method and parameters. */
  readonly binding: string;
  readonly until: number;
  readonly upstream?: string;
  readonly pendingCall?: string;
  /** Upstream task that requested the input. */
  readonly task?: string | undefined;
}

const noCapabilities: JsonObject = {};

const forwardedCapabilities = ({ back }: Call): JsonObject => {
  const { elicitation, sampling, roots } = back?.capabilities ?? {};
  if (elicitation === undefined && sampling === undefined && roots === undefined) return noCapabilities;
  return {
    ...(isJsonObject(elicitation) && { elicitation }),
    ...(isJsonObject(sampling) && { sampling }),
    ...(isJsonObject(roots) && { roots }),
  };
};

const toListener = ({ principal, session = '', back }: Call): CallListener => {
  const clientKey = `${principal.id}\n${session}`;
  if (back?.progress === undefined && back?.log === undefined) return { clientKey };
  return { clientKey, ...(back.progress && { progress: back.progress }), ...(back.log && { log: back.log }) };
};

/** Forwards calls to the server and its input requests to the client, across protocol eras. */
export function relay({ source, remote, pool, ownerOf, pendingCallLimits }: RelayOptions): Relay {
  const cipher = stateCipher();
  const waitingCalls = pendingCalls(pendingCallLimits);
  /** Tools that the server runs only as tasks. */
  const taskOnlyTools = new Set<unknown>();
  const bindingFor = (call: Call, request: UpstreamRequest): string =>
    sha256(canonicalJson([call.principal.id, request.method, request.params]));
  const sealState = (state: CarriedState): string => statePrefix + cipher.encrypt(JSON.stringify(state));

  const openState = (call: Call, request: UpstreamRequest): CarriedState | undefined | 'invalid' => {
    const sealed = call.confirmation?.state;
    if (sealed === undefined || !sealed.startsWith(statePrefix)) return undefined;
    const text = cipher.decrypt(sealed.slice(statePrefix.length));
    if (text === undefined) return 'invalid';
    const state = JSON.parse(text) as CarriedState; // authenticated: only this process can have written it
    return state.binding === bindingFor(call, request) && state.until > Date.now() ? state : 'invalid';
  };

  const question = (asks: Question['asks'], state: string): Outcome => ({
    kind: 'confirm',
    question: {
      asks,
      state,
      otherwise: {
        code: 'capability_missing',
        message: `${source} needs input from the client, and this client does not support that`,
      },
    },
  });

  /** Forwards a modern server's input requests; its state is wrapped in ours, and omitted if it has none. */
  const forwardInputRequests = (
    call: Call,
    request: UpstreamRequest,
    result: JsonObject,
    task: string | undefined,
  ): Outcome => {
    const asks = parseInputRequests(result);
    if (typeof asks === 'string') return refuse('upstream_error', `${source} ${asks}`);
    const upstream = result['requestState'];
    if (upstream !== undefined && (typeof upstream !== 'string' || upstream.length > maxStateLength))
      return refuse('upstream_error', `${source} sent a request state that is too large`);
    if (upstream === undefined && task === undefined) return question(asks, '');
    return question(
      asks,
      sealState({
        binding: bindingFor(call, request),
        until: Date.now() + stateTtlMs,
        task,
        ...(upstream !== undefined && { upstream }),
      }),
    );
  };

  const toOutcome = (call: Call, request: UpstreamRequest, lease: Lease, reply: Reply, task?: string): Outcome => {
    const { session } = lease;
    if (!('result' in reply)) return errorOutcome(source, call, reply, session.end, remote);
    if (reply.result['resultType'] === 'input_required') return forwardInputRequests(call, request, reply.result, task);
    if (reply.result['resultType'] === 'task')
      return refuse('upstream_error', `${source} answered with a task that was not requested`);
    return request.toOutcome(reply.result);
  };

  const send = (
    call: Call,
    request: UpstreamRequest,
    lease: Lease,
    listener: CallListener,
    state: CarriedState | undefined,
    capabilities: JsonObject,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const meta: JsonObject | undefined = call.trace ? { ...call.meta, ...call.trace } : call.meta;
    // A server that sent no state gets the answers without one.
    const isAnswer = state !== undefined || (call.confirmation?.state === '' && lease.session.peer.modern);
    const params: JsonObject = !isAnswer
      ? request.params
      : {
          ...request.params,
          inputResponses: call.confirmation?.answers ?? {},
          ...(state?.upstream !== undefined && { requestState: state.upstream }),
        };
    return lease.session.request(request.method, params, {
      timeoutMs: (call.timeoutMs ?? 300_000) + timeoutMarginMs,
      signal,
      listener,
      capabilities,
      meta,
      headers: request.headers,
    });
  };

  /** Sends a call that the server may run as a task, and polls the task. */
  async function sendAsTask(
    call: Call,
    request: UpstreamRequest,
    lease: Lease,
    listener: CallListener,
    state: CarriedState | undefined,
    plain: JsonObject,
  ): Promise<TaskEnd> {
    const capabilities = { ...plain, ...taskCapabilities };
    const sendTaskRequest: TaskRequest = (method, params) =>
      lease.session.request(method, params, { timeoutMs: taskRequestMs, capabilities });
    if (state?.task !== undefined)
      return answerTask(state.task, call.confirmation?.answers ?? {}, sendTaskRequest, call.signal);
    const reply = await send(call, request, lease, listener, state, capabilities, call.signal);
    return 'result' in reply && reply.result['resultType'] === 'task'
      ? followTask(reply.result, sendTaskRequest, call.signal)
      : { reply };
  }

  const isTask = (call: Call, request: UpstreamRequest, state: CarriedState | undefined): boolean =>
    state?.task !== undefined || (taskOnlyTools.has(request.params['name']) && call.back?.withoutTasks !== true);

  async function startCall(
    call: Call,
    request: UpstreamRequest,
    state: CarriedState | undefined,
    attempt = 0,
  ): Promise<Outcome> {
    const owner = ownerOf(call);
    const found = pool.lease(owner, call.signal);
    const lease = found instanceof Promise ? await found : found;
    if (!('session' in lease))
      return call.signal.aborted
        ? errorOutcome(source, call, failedReply('cancelled', lease.message), undefined, remote)
        : channelEndOutcome(source, lease, remote);
    const listener = toListener(call);
    const capabilities = forwardedCapabilities(call);
    // Only legacy servers send requests while a call runs; other calls skip the pending table.
    if (lease.session.peer.modern || capabilities === noCapabilities) {
      const end: TaskEnd = isTask(call, request, state)
        ? await sendAsTask(call, request, lease, listener, state, capabilities)
        : { reply: await send(call, request, lease, listener, state, capabilities, call.signal) };
      const reply: Reply = 'reply' in end ? end.reply : { result: end.question };
      lease.release(leaseResult(reply, call), reply);
      if (attempt === 0 && 'error' in reply && call.back?.withoutTasks !== true && requiresTask(reply.error)) {
        taskOnlyTools.add(request.params['name']);
        return startCall(call, request, state, 1);
      }
      if (await mayRetry(reply, attempt, call.signal)) return startCall(call, request, state, attempt + 1);
      return toOutcome(call, request, lease, reply, 'taskId' in end ? end.taskId : undefined);
    }
    return waitingCalls.run({
      call,
      binding: bindingFor(call, request),
      supports: ({ method }) => isJsonObject(capabilities[requiredCapability[method]]),
      start: async (question, signal) => {
        const reply = await send(call, request, lease, { ...listener, question }, state, capabilities, signal);
        lease.release(leaseResult(reply, call), reply);
        if (await mayRetry(reply, attempt, signal)) return startCall(call, request, state, attempt + 1);
        return toOutcome(call, request, lease, reply);
      },
      toQuestion: (asks, handle) =>
        question(
          asks,
          sealState({ binding: bindingFor(call, request), until: Date.now() + stateTtlMs, pendingCall: handle }),
        ),
    });
  }

  return {
    run(call, request) {
      const state = openState(call, request);
      if (state === 'invalid')
        return Promise.resolve(
          refuse('invalid_confirmation', 'The answers do not belong to this call, or arrived too late'),
        );
      if (state?.pendingCall !== undefined) return waitingCalls.resume(state.pendingCall, call, state.binding);
      return startCall(call, request, state);
    },
    close: () => waitingCalls.close(),
  };
}
