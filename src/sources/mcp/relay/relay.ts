import type { Call, GuardedCall } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import type { Outcome, Question } from '../../../core/outcome.js';
import { refuse, stateUnavailable } from '../../../core/outcome.js';
import { isJsonObject } from '../../../wire/message.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import type { Holder, SourcePeers } from '../../source-peers.js';
import type { Lease, SessionPool } from '../sessions/session-pool.js';
import { carriedStates } from './carried-state.js';
import type { CarriedState } from './carried-state.js';
import { requiredCapability, parseInputRequests } from './input-requests.js';
import { channelEndOutcome, errorOutcome, leaseResult } from './outcomes.js';
import { isLegacyTask, runLegacyTask } from './legacy-task.js';
import { pendingCalls } from './pending-calls.js';
import type { PendingCallLimits } from './pending-calls.js';
import { forwardCall, serveCalls } from './peer-calls.js';
import { taskCalls } from './task-calls.js';
import { forwardedCapabilities, mayRetry, noCapabilities, sendRequest, toListener } from './upstream-request.js';
import type { Delivery, UpstreamRequest } from './upstream-request.js';
import type { TaskEnd } from './upstream-tasks.js';

interface RelayOptions {
  readonly source: string;
  readonly remote: boolean;
  readonly pool: SessionPool;
  /** Owner of the session that a call uses. */
  readonly ownerOf: (call: Call) => string;
  /** Whether a server may get the roots of a client; not if principals share a session, which would mix their folders. */
  readonly offersRoots: boolean;
  readonly pendingCallLimits?: Partial<PendingCallLimits>;
  /** Other replicas, which continue and run calls of this one. */
  readonly peers?: SourcePeers | undefined;
  /** Where the server of a call runs, if it runs on one replica only. */
  readonly holderOf?: ((call: Call) => Promise<Holder>) | undefined;
}

export interface Relay {
  run(call: GuardedCall, request: UpstreamRequest): Promise<Outcome>;
  /** Ends all calls that wait for client input. */
  close(): void;
}

const maxStateLength = 40_000;

/** Forwards calls to the server and its input requests to the client, across protocol eras. */
export function relay(options: RelayOptions): Relay {
  const { source, remote, pool, ownerOf, offersRoots, pendingCallLimits, peers, holderOf } = options;
  const states = carriedStates({ source, keys: peers?.stateKeys });
  /** Names this replica in states that only it can continue: a waiting call, and whatever a local server remembers. */
  const here = peers && { replica: peers.network.replica };
  const waitingCalls = pendingCalls(pendingCallLimits);
  const tasks = taskCalls();

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
      states.seal(call, request, { task, ...(upstream !== undefined && { upstream }), ...(!remote && here) }),
    );
  };

  const toOutcome = (call: Call, request: UpstreamRequest, lease: Lease, reply: Reply, task?: string): Outcome => {
    if (!('result' in reply)) return errorOutcome(source, call, reply, lease.session.end, remote);
    if (reply.result['resultType'] === 'input_required') return forwardInputRequests(call, request, reply.result, task);
    if (reply.result['resultType'] === 'task')
      return refuse('upstream_error', `${source} answered with a task that was not requested`);
    return request.toOutcome(reply.result);
  };

  const sendPlain = (delivery: Delivery, signal: AbortSignal): Promise<Reply> =>
    isLegacyTask(delivery) ? runLegacyTask(delivery, signal) : sendRequest(delivery, signal);

  /** A call whose server sends no requests while it runs. */
  async function runPlain(delivery: Delivery, lease: Lease, attempt: number): Promise<Outcome> {
    const { call, request, state } = delivery;
    const end: TaskEnd = tasks.isTask(call, request, state)
      ? await tasks.run(delivery)
      : { reply: await sendPlain(delivery, call.signal) };
    const reply: Reply = 'reply' in end ? end.reply : { result: end.question };
    lease.release(leaseResult(reply, call), reply);
    if (attempt === 0 && 'error' in reply && tasks.learn(call, request, reply.error))
      return startCall(call, request, state, 1);
    if (await mayRetry(reply, attempt, call.signal)) return startCall(call, request, state, attempt + 1);
    return toOutcome(call, request, lease, reply, 'taskId' in end ? end.taskId : undefined);
  }

  /** A call whose legacy server may send requests while it runs; they become questions to the client. */
  function runInteractive(delivery: Delivery, lease: Lease, attempt: number): Promise<Outcome> {
    const { call, request, state, capabilities } = delivery;
    return waitingCalls.run({
      call,
      binding: states.bindingFor(call, request),
      supports: ({ method }) => isJsonObject(capabilities[requiredCapability[method]]),
      start: async (ask, signal) => {
        const listener = { ...delivery.listener, question: ask };
        if (offersRoots && isJsonObject(capabilities['roots']))
          await delivery.session.offerRoots(`${listener.clientKey}\n${call.back?.rootsVersion ?? 0}`, listener);
        const reply = await sendPlain({ ...delivery, listener }, signal);
        lease.release(leaseResult(reply, call), reply);
        if (await mayRetry(reply, attempt, signal)) return startCall(call, request, state, attempt + 1);
        return toOutcome(call, request, lease, reply);
      },
      toQuestion: (asks, pendingCall) => question(asks, states.seal(call, request, { pendingCall, ...here })),
    });
  }

  async function startCall(
    call: Call,
    request: UpstreamRequest,
    state: CarriedState | undefined,
    attempt = 0,
  ): Promise<Outcome> {
    const found = pool.lease(ownerOf(call), call.signal);
    const lease = found instanceof Promise ? await found : found;
    if (!('session' in lease))
      return call.signal.aborted
        ? errorOutcome(source, call, failedReply('cancelled', lease.message), undefined, remote)
        : channelEndOutcome(source, lease, remote);
    const { session } = lease;
    const capabilities = forwardedCapabilities(call);
    const delivery: Delivery = { call, request, session, listener: toListener(call), state, capabilities };
    // Only legacy servers send requests while a call runs; other calls skip the pending table.
    return session.peer.modern || capabilities === noCapabilities
      ? runPlain(delivery, lease, attempt)
      : runInteractive(delivery, lease, attempt);
  }

  /** Has another replica run or continue a call; `failed` is the outcome if it cannot. */
  async function runElsewhere(
    { network }: SourcePeers,
    replica: string,
    call: Call,
    request: UpstreamRequest,
    failed: (message: string) => Outcome,
  ): Promise<Outcome> {
    const answer = await forwardCall(network, source, replica, call, request);
    if (answer.ok) return answer.body as unknown as Outcome; // authenticated, and an outcome is plain data
    return call.signal.aborted
      ? errorOutcome(source, call, failedReply('cancelled', answer.message), undefined, remote)
      : failed(answer.message);
  }

  /** Starts a call where its server runs. */
  async function startPlaced(
    all: SourcePeers,
    find: (call: Call) => Promise<Holder>,
    call: Call,
    request: UpstreamRequest,
    state: CarriedState | undefined,
  ): Promise<Outcome> {
    const holder = await find(call);
    if (holder.at === 'unknown') return stateUnavailable(`${source} cannot be used now: ${holder.message}`);
    if (holder.at === 'replica')
      return runElsewhere(all, holder.replica, call, request, (message) =>
        refuse('crashed', `${source}: ${message}`, { hint: 'Try again in ten seconds', retryAfterMs: 10_000 }),
      );
    if (holder.lost === undefined) return startCall(call, request, state);
    return refuse('crashed', `${source} ran on replica ${holder.lost}, which has ended: its state is gone`, {
      hint: 'The next call starts it again, without what it remembered',
    });
  }

  function run(call: Call, request: UpstreamRequest, mayForward: boolean): Promise<Outcome> {
    const state = states.open(call, request);
    if (state === 'invalid')
      return Promise.resolve(
        refuse('invalid_confirmation', 'The answers do not belong to this call, or arrived too late'),
      );
    const at = state?.replica;
    if (peers !== undefined && mayForward && at !== undefined && at !== peers.network.replica)
      return runElsewhere(peers, at, call, request, (message) =>
        refuse('invalid_confirmation', `The call that requested this input has ended: ${message}`),
      );
    if (state?.pendingCall !== undefined) return waitingCalls.resume(state.pendingCall, call, state.binding);
    if (peers !== undefined && holderOf !== undefined && mayForward)
      return startPlaced(peers, holderOf, call, request, state);
    return startCall(call, request, state);
  }
  const stopServing = peers && serveCalls(peers.network, source, (call, request) => run(call, request, false));

  return {
    run: (call, request) => run(call, request, true),
    close() {
      stopServing?.();
      waitingCalls.close();
    },
  };
}
