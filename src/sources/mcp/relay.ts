import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Outcome, Question } from '../../core/outcome.js';
import { refuse } from '../../core/outcome.js';
import { canonicalJson } from '../../lib/canonical-json.js';
import { sha256 } from '../../lib/hash.js';
import { isObject } from '../../wire/message.js';
import type { RpcReply } from '../../wire/pending.js';
import { askable, asksOf } from './asks.js';
import { sessionGone } from './http-channel.js';
import { endedOutcome, errorOutcome } from './outcomes.js';
import { parkedCalls } from './parked.js';
import type { ParkLimits } from './parked.js';
import type { Lease, Pool } from './pool.js';
import { seal } from './seal.js';
import type { Asker } from './session.js';
import { answerTask, followTask, tasksDeclared, wantsTask } from './upstream-tasks.js';
import type { AskAboutTask, TaskEnd } from './upstream-tasks.js';

/** One thing to be asked of the server on behalf of a call. */
export interface Relayed {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly params: JsonObject;
  /** Further headers, where the server is reached over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes an outcome of the finished result. */
  readonly read: (result: JsonObject) => Outcome;
}

export interface RelayOptions {
  readonly source: string;
  readonly remote: boolean;
  readonly pool: Pool;
  /** Whose conversation a call is held in. */
  readonly ownerOf: (call: Call) => string;
  readonly park?: Partial<ParkLimits>;
}

export interface Relay {
  run(call: Call, what: Relayed): Promise<Outcome>;
  /** Ends what waits for an answer. */
  close(): void;
}

/** Other guards carry states of their own through the same field; this says which are ours. */
const prefix = 'up1.';
const stateTtlMs = 600_000;
const maxUpstreamState = 40_000;
const lateMs = 1_000;
const aboutTaskMs = 30_000;
interface Carried {
  /** Whom and what this was made for. */
  readonly for: string;
  readonly until: number;
  readonly upstream?: string;
  readonly parked?: string;
  /** The task of the server that asked. */
  readonly task?: string | undefined;
}

const nothing: JsonObject = {};

const capabilitiesOf = ({ back }: Call): JsonObject => {
  const { elicitation, sampling, roots } = back?.capabilities ?? {};
  if (elicitation === undefined && sampling === undefined && roots === undefined) return nothing;
  return {
    ...(isObject(elicitation) && { elicitation }),
    ...(isObject(sampling) && { sampling }),
    ...(isObject(roots) && { roots }),
  };
};

const askerOf = ({ principal, session = '', back }: Call): Asker => {
  const who = `${principal.id}\n${session}`;
  if (back?.progress === undefined && back?.log === undefined) return { who };
  return { who, ...(back.progress && { progress: back.progress }), ...(back.log && { log: back.log }) };
};

/** Carries calls to the server and its questions back, whichever protocol either side speaks. */
export function relay({ source, remote, pool, ownerOf, park }: RelayOptions): Relay {
  const sealed = seal();
  const parked = parkedCalls(park);
  /** Tools that their server runs only as tasks. */
  const longRunning = new Set<unknown>();
  const boundTo = (call: Call, what: Relayed): string =>
    sha256(canonicalJson([call.principal.id, what.method, what.params]));
  const carry = (carried: Carried): string => prefix + sealed.close(JSON.stringify(carried));

  const open = (call: Call, what: Relayed): Carried | undefined | 'invalid' => {
    const state = call.confirmation?.state;
    if (state === undefined || !state.startsWith(prefix)) return undefined;
    const text = sealed.open(state.slice(prefix.length));
    if (text === undefined) return 'invalid';
    const carried = JSON.parse(text) as Carried; // only this process can have written it
    return carried.for === boundTo(call, what) && carried.until > Date.now() ? carried : 'invalid';
  };

  const question = (asks: Question['asks'], state: string): Outcome => ({
    kind: 'confirm',
    question: {
      asks,
      state,
      otherwise: {
        code: 'capability_missing',
        message: `${source} must ask its caller something, and this client cannot be asked`,
      },
    },
  });

  /** A modern server's question travels on as it is; its state inside ours, and where it has none, without one. */
  const asked = (call: Call, what: Relayed, result: JsonObject, task: string | undefined): Outcome => {
    const asks = asksOf(result);
    if (typeof asks === 'string') return refuse('upstream_error', `${source} ${asks}`);
    const upstream = result['requestState'];
    if (upstream !== undefined && (typeof upstream !== 'string' || upstream.length > maxUpstreamState))
      return refuse('upstream_error', `${source} asks with a state that is too large`);
    if (upstream === undefined && task === undefined) return question(asks, '');
    return question(
      asks,
      carry({
        for: boundTo(call, what),
        until: Date.now() + stateTtlMs,
        task,
        ...(upstream !== undefined && { upstream }),
      }),
    );
  };

  const settle = (call: Call, what: Relayed, lease: Lease, reply: RpcReply, task?: string): Outcome => {
    const { session } = lease;
    if ('error' in reply) return errorOutcome(source, call, reply.error, session.end, remote);
    if (reply.result['resultType'] === 'input_required') return asked(call, what, reply.result, task);
    if (reply.result['resultType'] === 'task')
      return refuse('upstream_error', `${source} answered with a task that was not asked for`);
    return what.read(reply.result);
  };

  const ask = (
    call: Call,
    what: Relayed,
    lease: Lease,
    asker: Asker,
    carried: Carried | undefined,
    capabilities: JsonObject,
    signal: AbortSignal,
  ): Promise<RpcReply> => {
    const meta: JsonObject | undefined = call.trace ? { ...call.meta, ...call.trace } : call.meta;
    // A server that keeps no state of its question gets the answers without one.
    const isAnswer = carried !== undefined || (call.confirmation?.state === '' && lease.session.introduction.modern);
    const params: JsonObject = !isAnswer
      ? what.params
      : {
          ...what.params,
          inputResponses: call.confirmation?.answers ?? {},
          ...(carried?.upstream !== undefined && { requestState: carried.upstream }),
        };
    return lease.session.ask(what.method, params, {
      timeoutMs: (call.timeoutMs ?? 300_000) + lateMs,
      signal,
      asker,
      capabilities,
      meta,
      headers: what.headers,
    });
  };

  /** Asks a server that may make a task of the call, and follows the task. */
  async function finished(
    call: Call,
    what: Relayed,
    lease: Lease,
    asker: Asker,
    carried: Carried | undefined,
    plain: JsonObject,
  ): Promise<TaskEnd> {
    const capabilities = { ...plain, ...tasksDeclared };
    const aboutTask: AskAboutTask = (method, params) =>
      lease.session.ask(method, params, { timeoutMs: aboutTaskMs, capabilities });
    if (carried?.task !== undefined)
      return answerTask(carried.task, call.confirmation?.answers ?? {}, aboutTask, call.signal);
    const reply = await ask(call, what, lease, asker, carried, capabilities, call.signal);
    return 'result' in reply && reply.result['resultType'] === 'task'
      ? followTask(reply.result, aboutTask, call.signal)
      : { reply };
  }

  const isTask = (call: Call, what: Relayed, carried: Carried | undefined): boolean =>
    carried?.task !== undefined || (longRunning.has(what.params['name']) && call.back?.withoutTasks !== true);

  async function begin(call: Call, what: Relayed, carried: Carried | undefined, again = true): Promise<Outcome> {
    const owner = ownerOf(call);
    const found = pool.lease(owner, call.signal);
    const lease = found instanceof Promise ? await found : found;
    if (!('session' in lease))
      return call.signal.aborted
        ? errorOutcome(source, call, { code: 0, message: lease.message }, undefined, remote)
        : endedOutcome(source, lease, remote);
    const asker = askerOf(call);
    const capabilities = capabilitiesOf(call);
    // Only a server of the older kind asks while a call runs; the usual call pays nothing for it.
    if (lease.session.introduction.modern || capabilities === nothing) {
      const end: TaskEnd = isTask(call, what, carried)
        ? await finished(call, what, lease, asker, carried, capabilities)
        : { reply: await ask(call, what, lease, asker, carried, capabilities, call.signal) };
      const reply: RpcReply = 'reply' in end ? end.reply : { result: end.question };
      lease.release('result' in reply || !lease.session.end || reply.error === sessionGone);
      // The server has not looked at the call, so making it once more is making it once.
      if (again && 'error' in reply && !call.signal.aborted) {
        const needsTask = call.back?.withoutTasks !== true && wantsTask(reply.error);
        if (needsTask) longRunning.add(what.params['name']);
        if (needsTask || reply.error === sessionGone) return begin(call, what, carried, false);
      }
      return settle(call, what, lease, reply, 'taskId' in end ? end.taskId : undefined);
    }
    return parked.follow({
      call,
      bound: boundTo(call, what),
      can: ({ method }) => isObject(capabilities[askable[method]]),
      start: async (question, signal) => {
        const reply = await ask(call, what, lease, { ...asker, question }, carried, capabilities, signal);
        lease.release('result' in reply || !lease.session.end || reply.error === sessionGone);
        if (again && 'error' in reply && reply.error === sessionGone && !signal.aborted)
          return begin(call, what, carried, false);
        return settle(call, what, lease, reply);
      },
      question: (asks, handle) =>
        question(asks, carry({ for: boundTo(call, what), until: Date.now() + stateTtlMs, parked: handle })),
    });
  }

  return {
    run(call, what) {
      const carried = open(call, what);
      if (carried === 'invalid')
        return Promise.resolve(
          refuse('invalid_confirmation', 'The answers do not belong to this call, or come too late'),
        );
      if (carried?.parked !== undefined) return parked.resume(carried.parked, call, carried.for);
      return begin(call, what, carried);
    },
    close: () => parked.close(),
  };
}
