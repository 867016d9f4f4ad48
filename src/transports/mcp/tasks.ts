import { randomUUID } from 'node:crypto';
import type { Confirmation } from '../../core/call.js';
import { behaviourOf } from '../../core/errors.js';
import type { Answer } from '../../core/gateway.js';
import type { Ask, Question } from '../../core/outcome.js';
import { refuse } from '../../core/outcome.js';
import type { Settled } from './encode.js';
import type { Attempt } from './questions.js';
import type { TaskRecord, TaskStore } from './task-store.js';

export interface TaskLimits {
  readonly ttlMs: number;
  readonly maxTtlMs: number;
  readonly perOwner: number;
  readonly running: number;
}

export const taskLimits: TaskLimits = { ttlMs: 3_600_000, maxTtlMs: 86_400_000, perOwner: 256, running: 1_024 };

/** Calls that outlive their connection: bound to their principal, expiring, cancelled with what they run. */
export interface Tasks {
  /** Takes over a call that is under way; undefined where this principal or the gateway has too many tasks. */
  adopt(
    task: { readonly owner: string; readonly tool: string; readonly ttlMs?: number },
    first: Promise<Answer>,
    again: Attempt,
    controller: AbortController,
  ): Promise<TaskRecord | undefined>;
  /** Undefined for a task that does not exist, expired, or is another's. */
  get(id: string, owner: string): Promise<TaskRecord | undefined>;
  list(owner: string): Promise<readonly TaskRecord[]>;
  /** Hands over answers, some or all; others than the ones asked for are ignored. */
  update(id: string, owner: string, answers: Confirmation['answers']): Promise<boolean>;
  cancel(id: string, owner: string): Promise<TaskRecord | undefined>;
  /** Resolves when the task changes next, or ends, or the signal fires. */
  changed(id: string, signal: AbortSignal): Promise<void>;
  onChange(listener: (record: TaskRecord) => void): () => void;
  readonly running: number;
  /** Ends every running task and waits for them. */
  close(): Promise<void>;
}

interface Running {
  readonly owner: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  readonly waiters: Set<() => void>;
  answers: Record<string, Confirmation['answers'][string]>;
  asked:
    | { readonly keys: ReadonlyMap<string, string>; readonly resolve: (answers: Confirmation['answers']) => void }
    | undefined;
}

const maxRounds = 8;

export const isTerminal = ({ status }: TaskRecord): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** A task fails, as the protocol means it, only where the call ended in a protocol error. */
const endStatus = ({ outcome }: Settled): 'completed' | 'failed' =>
  outcome.kind === 'failed' && behaviourOf(outcome.error).mcp !== 'result' ? 'failed' : 'completed';

/** Tasks over a store; what runs is held here, so a record left unfinished by a process that died is reported failed. */
export function tasks(store: TaskStore, limits: TaskLimits = taskLimits, now: () => number = Date.now): Tasks {
  const running = new Map<string, Running>();
  const listeners = new Set<(record: TaskRecord) => void>();

  const save = async (record: TaskRecord): Promise<void> => {
    await store.put(record, Date.parse(record.createdAt) + record.ttlMs);
    for (const wake of running.get(record.id)?.waiters ?? []) wake();
    for (const listener of listeners) listener(record);
  };
  const step = async (id: string, change: Partial<TaskRecord>): Promise<void> => {
    const record = await store.get(id);
    // A cancelled task stays cancelled, whatever its call says afterwards.
    if (!record || isTerminal(record)) return;
    const { asks: _, ...rest } = record;
    await save({ ...rest, ...change, updatedAt: new Date(now()).toISOString() });
  };

  /** Keys are never used twice in one task: a later round numbers its own. */
  const ask = (id: string, entry: Running, question: Question, round: number): Promise<Confirmation['answers']> => {
    const keys = new Map(Object.keys(question.asks).map((key) => [round === 0 ? key : `${key}-${round + 1}`, key]));
    const asks: Record<string, Ask> = {};
    for (const [shown, key] of keys) {
      const one = question.asks[key];
      if (one) asks[shown] = one;
    }
    return new Promise((resolve) => {
      entry.answers = {};
      entry.asked = { keys, resolve };
      void step(id, { status: 'input_required', asks });
    });
  };

  const follow = async (id: string, entry: Running, first: Promise<Answer>, again: Attempt): Promise<void> => {
    let answer = await first;
    for (
      let round = 0;
      answer.outcome.kind === 'confirm' && round < maxRounds && !entry.controller.signal.aborted;
      round += 1
    ) {
      const { question } = answer.outcome;
      const answers = await ask(id, entry, question, round);
      entry.asked = undefined;
      if (entry.controller.signal.aborted) break;
      await step(id, { status: 'working' });
      answer = await again({ answers, state: question.state });
    }
    const outcome =
      answer.outcome.kind === 'confirm'
        ? refuse('confirmation_required', 'The call asked too many questions')
        : answer.outcome;
    const settled: Settled = { ...answer, outcome };
    await step(id, { status: endStatus(settled), answer: { outcome, correlationId: answer.correlationId } });
  };

  const owned = async (id: string, owner: string): Promise<TaskRecord | undefined> => {
    const record = await store.get(id);
    if (!record || record.owner !== owner) return undefined;
    if (isTerminal(record) || running.has(id)) return record;
    await step(id, {
      status: 'failed',
      message: 'The gateway was restarted while the task ran',
      answer: { outcome: refuse('internal', 'The task ended with the gateway that ran it'), correlationId: '' },
    });
    return store.get(id);
  };

  return {
    get running() {
      return running.size;
    },
    async adopt({ owner, tool, ttlMs }, first, again, controller) {
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
      };
      await store.put(record, now() + record.ttlMs);
      let end = (): void => {};
      const entry: Running = {
        owner,
        controller,
        waiters: new Set(),
        answers: {},
        asked: undefined,
        ended: new Promise((resolve) => (end = resolve)),
      };
      running.set(id, entry);
      const expiry = setTimeout(() => controller.abort(), record.ttlMs).unref();
      void follow(id, entry, first, again)
        .catch(() =>
          step(id, { status: 'failed', answer: { outcome: refuse('internal', 'Internal error'), correlationId: '' } }),
        )
        .finally(() => {
          clearTimeout(expiry);
          running.delete(id);
          for (const wake of entry.waiters) wake();
          end();
        });
      return record;
    },
    get: owned,
    async list(owner) {
      const records = await store.list(owner);
      return (await Promise.all(records.map((record) => owned(record.id, owner)))).filter(
        (record) => record !== undefined,
      );
    },
    async update(id, owner, answers) {
      if (!(await owned(id, owner))) return false;
      const entry = running.get(id);
      if (!entry?.asked) return true;
      const { keys, resolve } = entry.asked;
      for (const [shown, answer] of Object.entries(answers)) {
        const key = keys.get(shown);
        if (key !== undefined) entry.answers[key] = answer;
      }
      const open = [...keys].filter(([, key]) => entry.answers[key] === undefined);
      if (open.length === 0) resolve(entry.answers);
      else {
        const asks = (await store.get(id))?.asks ?? {};
        await step(id, {
          status: 'input_required',
          asks: Object.fromEntries(Object.entries(asks).filter(([shown]) => open.some(([key]) => key === shown))),
        });
      }
      return true;
    },
    async cancel(id, owner) {
      const record = await owned(id, owner);
      if (!record || isTerminal(record)) return record;
      await step(id, { status: 'cancelled', message: 'Cancelled by the client' });
      const entry = running.get(id);
      entry?.controller.abort();
      entry?.asked?.resolve({});
      return store.get(id);
    },
    changed(id, signal) {
      const waiters = running.get(id)?.waiters;
      if (!waiters || signal.aborted) return Promise.resolve();
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
      const all = [...running.entries()];
      for (const [id, entry] of all) {
        await step(id, {
          status: 'failed',
          message: 'The gateway stopped',
          answer: { outcome: refuse('internal', 'The task ended with the gateway that ran it'), correlationId: '' },
        });
        entry.controller.abort();
        entry.asked?.resolve({});
      }
      await Promise.all(all.map(([, entry]) => entry.ended));
    },
  };
}
