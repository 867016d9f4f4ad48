import { randomUUID } from 'node:crypto';
import type { Confirmation } from '../../../core/call.js';
import { behaviourOf } from '../../../core/errors.js';
import type { Answer } from '../../../core/gateway.js';
import type { Ask, Failed, Question } from '../../../core/outcome.js';
import { refuse } from '../../../core/outcome.js';
import type { FinalAnswer } from '../methods/encode-result.js';
import type { InvokeCall } from '../methods/client-questions.js';
import { isLeased, leaseFields, remoteWaiters, type TaskLeases } from './task-leases.js';
import type { TaskAnswer, TaskRecord, TaskStore } from './task-store.js';

/** Limits of tasks: lifetime, number and stored bytes per principal, number running. */
export interface TaskLimits {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly perOwner: number;
  /** Stored answers of one principal. */
  readonly bytesPerOwner: number;
  readonly running: number;
}

/** Default limits. */
export const taskLimits: TaskLimits = {
  ttlMs: 3_600_000,
  maxTtlMs: 86_400_000,
  perOwner: 256,
  bytesPerOwner: 32 * 1024 * 1024,
  running: 1_024,
};

/** Runs calls that outlive their connection; tasks belong to one principal and expire. */
export interface TaskRunner {
  /** Takes over a running call; undefined if the principal or the gateway has too many tasks. */
  adopt(
    task: { readonly owner: string; readonly tool: string; readonly ttlMs?: number },
    first: Promise<Answer>,
    invoke: InvokeCall,
    controller: AbortController,
  ): Promise<TaskRecord | undefined>;
  /** Undefined if the task is unknown, expired or owned by another principal. */
  get(id: string, owner: string): Promise<TaskRecord | undefined>;
  /** Final answer of a task; undefined if it has none yet. */
  answer(id: string, owner: string): Promise<TaskAnswer | undefined>;
  list(owner: string): Promise<readonly TaskRecord[]>;
  /** Passes on some or all answers to open questions; unknown keys are ignored. */
  update(id: string, owner: string, answers: Confirmation['answers']): Promise<boolean>;
  cancel(id: string, owner: string): Promise<TaskRecord | undefined>;
  /** Resolves on the next change or the end of the task, or on abort. */
  waitForChange(id: string, signal: AbortSignal): Promise<void>;
  onChange(listener: (record: TaskRecord) => void): () => void;
  readonly running: number;
  /** Aborts all running tasks and waits for them. */
  close(): Promise<void>;
}

/** In-memory state of a task that runs in this process. */
interface RunningTask {
  readonly owner: string;
  readonly controller: AbortController;
  readonly finished: Promise<void>;
  readonly waiters: Set<() => void>;
  answers: Record<string, Confirmation['answers'][string]>;
  openQuestion:
    | { readonly keys: ReadonlyMap<string, string>; readonly resolve: (answers: Confirmation['answers']) => void }
    | undefined;
}

/** Rounds of questions after which a call is refused, against tools that ask forever. */
const maxRounds = 8;

/** Whether the status of a task can no longer change. */
export const isTerminal = ({ status }: TaskRecord): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** A task counts as failed only if its call ended in a protocol error; tool errors are completed tasks. */
const terminalStatus = ({ outcome }: FinalAnswer): 'completed' | 'failed' =>
  outcome.kind === 'failed' && behaviourOf(outcome.error).mcp !== 'result' ? 'failed' : 'completed';

type TaskKey = Pick<TaskRecord, 'id' | 'owner'>;

const endedWithGateway: TaskAnswer = {
  outcome: refuse('internal', 'The task ended with the gateway that ran it'),
  correlationId: '',
};

const overBudget = (bytes: number, used: number, budget: number): Failed =>
  refuse(
    'output_limit',
    `The result of ${bytes} bytes was not stored: the results of your tasks take up ${used} of ${budget} bytes`,
    { hint: 'The tool ran. Wait until older tasks expire, use a shorter ttl, or request less output' },
  );

/**
 * Task runner over a store. A stored task that is unfinished, does not run here and has no valid lease (crash) is reported as
 * failed.
 */
export function taskRunner(
  store: TaskStore,
  limits: TaskLimits = taskLimits,
  now: () => number = Date.now,
  leases?: TaskLeases,
): TaskRunner {
  const remote = remoteWaiters();
  const running = new Map<string, RunningTask>();
  let finishing: Promise<void> = Promise.resolve();
  const listeners = new Set<(record: TaskRecord) => void>();

  /** Wakes the clients that wait for a task. */
  const announce = (record: TaskRecord): void => {
    for (const wake of running.get(record.id)?.waiters ?? []) wake();
    for (const listener of listeners) listener(record);
    leases?.publish({ kind: 'changed', id: record.id });
  };
  /** Changes a record that is not terminal; tries again if another process changed it meanwhile. */
  const updateRecord = async ({ owner, id }: TaskKey, change: Partial<TaskRecord>, answer?: string): Promise<void> => {
    for (;;) {
      const record = await store.get(owner, id);
      // A cancelled task stays cancelled, whatever its call returns later.
      if (!record || isTerminal(record)) return;
      const { asks: _, ...rest } = record;
      const next = { ...rest, ...change, updatedAt: new Date(now()).toISOString() };
      if (!(await store.replace(record, next, Date.parse(next.createdAt) + next.ttlMs, answer))) continue;
      announce(next);
      return;
    }
  };
  const abort = (id: string): void => {
    const entry = running.get(id);
    entry?.controller.abort();
    entry?.openQuestion?.resolve({});
  };
  /** Extends the leases of the tasks that run here; a task that was cancelled elsewhere is aborted. */
  const renew = async (): Promise<void> => {
    for (const [id, { owner }] of running) {
      const record = await store.get(owner, id);
      if (!record || isTerminal(record)) abort(id);
      else
        await store.replace(
          record,
          { ...record, ...leaseFields(leases, now()) },
          Date.parse(record.createdAt) + record.ttlMs,
        );
    }
  };
  // A renewal that fails is repeated by the next one: a lease lasts for several.
  const renewal = leases && setInterval(() => void renew().catch(() => {}), leases.renewMs).unref();
  leases?.subscribe((message) => {
    if (message.kind === 'cancel') abort(message.id);
    else if (message.kind === 'answers') void giveAnswers(message.id, message.answers).catch(() => {});
    else remote.wake(message.id);
  });

  /** Stores the final answer; one that exceeds the byte budget of its owner is replaced by an error that names the budget. */
  const finish = (key: TaskKey, given: TaskAnswer, change: Partial<TaskRecord>): Promise<void> => {
    // One at a time: answers that are stored at once must not all see the same free bytes.
    finishing = finishing.catch(() => undefined).then(() => storeAnswer(key, given, change));
    return finishing;
  };
  const storeAnswer = async (key: TaskKey, given: TaskAnswer, change: Partial<TaskRecord>): Promise<void> => {
    let answer = given;
    let text = JSON.stringify(answer);
    const used = (await store.list(key.owner)).reduce((sum, { answerBytes = 0 }) => sum + answerBytes, 0);
    if (used + Buffer.byteLength(text) > limits.bytesPerOwner) {
      answer = {
        outcome: overBudget(Buffer.byteLength(text), used, limits.bytesPerOwner),
        correlationId: given.correlationId,
      };
      text = JSON.stringify(answer);
    }
    const bytes = { toolFailed: answer.outcome.kind === 'failed', answerBytes: Buffer.byteLength(text) };
    await updateRecord(key, { ...change, ...bytes }, text);
  };

  /** Question keys are unique within a task: later rounds get a numeric suffix. */
  const ask = (
    key: TaskKey,
    entry: RunningTask,
    question: Question,
    round: number,
  ): Promise<Confirmation['answers']> => {
    const keys = new Map(Object.keys(question.asks).map((name) => [round === 0 ? name : `${name}-${round + 1}`, name]));
    const asks: Record<string, Ask> = {};
    for (const [publicKey, name] of keys) {
      const one = question.asks[name];
      if (one) asks[publicKey] = one;
    }
    return new Promise((resolve) => {
      entry.answers = {};
      entry.openQuestion = { keys, resolve };
      void updateRecord(key, { status: 'input_required', asks });
    });
  };

  /** Runs the call through its questions and stores the final outcome. */
  const runToEnd = async (
    key: TaskKey,
    entry: RunningTask,
    first: Promise<Answer>,
    invoke: InvokeCall,
  ): Promise<void> => {
    let answer = await first;
    for (
      let round = 0;
      answer.outcome.kind === 'confirm' && round < maxRounds && !entry.controller.signal.aborted;
      round += 1
    ) {
      const { question } = answer.outcome;
      const answers = await ask(key, entry, question, round);
      entry.openQuestion = undefined;
      if (entry.controller.signal.aborted) break;
      await updateRecord(key, { status: 'working' });
      answer = await invoke({ answers, state: question.state });
    }
    const outcome =
      answer.outcome.kind === 'confirm'
        ? refuse('confirmation_required', 'The call asked too many questions')
        : answer.outcome;
    const final: FinalAnswer = { ...answer, outcome };
    await finish(key, { outcome, correlationId: answer.correlationId }, { status: terminalStatus(final) });
  };

  /** Finds a task of this owner; a task of another owner is reported as unknown (enumeration). */
  const findOwned = async (id: string, owner: string): Promise<TaskRecord | undefined> => {
    const record = await store.get(owner, id);
    return record && settleAbandoned(record);
  };

  /** The record; one that is unfinished and not running here is set to failed first. */
  const settleAbandoned = async (record: TaskRecord): Promise<TaskRecord | undefined> => {
    if (isTerminal(record) || running.has(record.id) || isLeased(record, leases, now())) return record;
    await finish(record, endedWithGateway, {
      status: 'failed',
      message: leases
        ? 'The replica that ran the task died; the tool may have run'
        : 'The gateway was restarted while the task ran',
    });
    return store.get(record.owner, record.id);
  };

  /** Passes answers on to a task that runs here; false if it does not. */
  const giveAnswers = async (id: string, answers: Confirmation['answers']): Promise<boolean> => {
    const entry = running.get(id);
    if (!entry) return false;
    if (!entry.openQuestion) return true;
    const { owner } = entry;
    const { keys, resolve } = entry.openQuestion;
    for (const [publicKey, answer] of Object.entries(answers)) {
      const key = keys.get(publicKey);
      if (key !== undefined) entry.answers[key] = answer;
    }
    const open = [...keys].filter(([, key]) => entry.answers[key] === undefined);
    if (open.length === 0) resolve(entry.answers);
    else {
      const asks = (await store.get(owner, id))?.asks ?? {};
      await updateRecord(
        { owner, id },
        {
          status: 'input_required',
          asks: Object.fromEntries(
            Object.entries(asks).filter(([publicKey]) => open.some(([key]) => key === publicKey)),
          ),
        },
      );
    }
    return true;
  };

  return {
    get running() {
      return running.size;
    },
    async adopt({ owner, tool, ttlMs }, first, invoke, controller) {
      if (running.size >= limits.running || (await store.list(owner)).length >= limits.perOwner) return undefined;
      const at = new Date(now()).toISOString();
      const id = randomUUID();
      const record: TaskRecord = {
        id,
        owner,
        tool,
        status: 'working',
        createdAt: at,
        updatedAt: at,
        ttlMs: Math.min(ttlMs ?? limits.ttlMs, limits.maxTtlMs),
        ...leaseFields(leases, now()),
      };
      await store.put(record, now() + record.ttlMs);
      let end = (): void => {};
      const entry: RunningTask = {
        owner,
        controller,
        waiters: new Set(),
        answers: {},
        openQuestion: undefined,
        finished: new Promise((resolve) => (end = resolve)),
      };
      running.set(id, entry);
      // An expired task is aborted, so that it does not run without anything that could read its result.
      const expiry = setTimeout(() => controller.abort(), record.ttlMs).unref();
      void runToEnd(record, entry, first, invoke)
        .catch(() =>
          finish(record, { outcome: refuse('internal', 'Internal error'), correlationId: '' }, { status: 'failed' }),
        )
        .finally(() => {
          clearTimeout(expiry);
          running.delete(id);
          for (const wake of entry.waiters) wake();
          end();
        });
      return record;
    },
    get: findOwned,
    async answer(id, owner) {
      const text = await store.answer(owner, id);
      return text === undefined ? undefined : (JSON.parse(text) as TaskAnswer); // written by `finish`
    },
    async list(owner) {
      const records = await store.list(owner);
      return (await Promise.all(records.map(settleAbandoned))).filter((record) => record !== undefined);
    },
    async update(id, owner, answers) {
      if (!(await findOwned(id, owner))) return false;
      if (!(await giveAnswers(id, answers))) leases?.publish({ kind: 'answers', id, answers });
      return true;
    },
    async cancel(id, owner) {
      const record = await findOwned(id, owner);
      if (!record || isTerminal(record)) return record;
      await updateRecord(record, { status: 'cancelled', message: 'Cancelled by the client' });
      if (running.has(id)) abort(id);
      else leases?.publish({ kind: 'cancel', id });
      return store.get(owner, id);
    },
    waitForChange(id, signal) {
      const waiters = running.get(id)?.waiters;
      if (signal.aborted) return Promise.resolve();
      if (!waiters) return leases ? remote.wait(id, signal) : Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          waiters.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiters.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearInterval(renewal);
      const all = [...running.entries()];
      for (const [id, entry] of all) {
        await finish({ id, owner: entry.owner }, endedWithGateway, {
          status: 'failed',
          message: 'The gateway stopped',
        });
        entry.controller.abort();
        entry.openQuestion?.resolve({});
      }
      await Promise.all(all.map(([, entry]) => entry.finished));
    },
  };
}
