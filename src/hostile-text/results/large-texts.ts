import { Worker } from 'node:worker_threads';
import type { JsonObject } from '../../core/json.js';
import { packageFile } from '../../lib/package-file.js';
import { secretRedactor } from '../secrets.js';
import type { CleanText } from './clean-text.js';
import { removeHostileText } from './clean-text.js';
import type { ExamineReply, ExamineRequest, WorkerRules } from './examine-messages.js';
import { injectionEvidence } from './injection-evidence.js';

/** Examines texts in a worker thread; results are those of the same functions on the event loop. */
export interface LargeTexts {
  clean(text: string): Promise<CleanText>;
  injection(text: string): Promise<JsonObject | undefined>;
}

/** Texts of this many characters or more are examined in the worker: about a millisecond of work. */
export const largeTextLength = 65_536;

// The built file, also under a test runner that loads TypeScript: worker threads need plain JavaScript.
const workerFile = packageFile('dist/hostile-text/results/examine-main.js');
/** Bounds the worker, so that one hostile text ends the thread and not the gateway. */
const maxHeapMb = 256;
/** An idle thread costs memory; starting one again costs some tens of milliseconds. */
const idleMs = 60_000;

/** Rules of one configuration for the shared worker. */
export function largeTexts(rules: WorkerRules): LargeTexts {
  const rulesId = ++lastRulesId;
  let redact: ReturnType<typeof secretRedactor> | undefined;
  const cleanHere = (text: string): CleanText =>
    removeHostileText(text, rules.level, rules.secrets && (redact ??= secretRedactor({ values: rules.secrets })));
  return {
    async clean(text) {
      const thread = currentThread();
      // Rules are sent once per thread: a restarted one does not have them.
      if (!thread.rules.has(rulesId)) {
        thread.rules.add(rulesId);
        thread.send({ kind: 'rules', rulesId, rules });
      }
      const reply = await thread.ask((id) => ({ kind: 'clean', id, rulesId, text }));
      // Never returned uncleaned: if the worker failed, the event loop pays for this text (fail closed).
      if (reply?.kind !== 'clean') return cleanHere(text);
      return reply.changed ?? { text, removed: {}, secrets: {} };
    },
    async injection(text) {
      const reply = await currentThread().ask((id) => ({ kind: 'injection', id, text }));
      return reply?.kind === 'injection' ? reply.evidence : injectionEvidence(text);
    },
  };
}

let lastRulesId = 0;
let shared: ExamineThread | undefined;

/** One thread for all configurations, started with the first large text and ended when idle. */
const currentThread = (): ExamineThread => (shared ??= examineThread(() => (shared = undefined)));

interface ExamineThread {
  readonly rules: Set<number>;
  send(request: ExamineRequest): void;
  /** Undefined if the thread ended before it answered: the caller then examines the text itself. */
  ask(request: (id: number) => ExamineRequest): Promise<ExamineReply | undefined>;
}

function examineThread(onEnd: () => void): ExamineThread {
  const worker = new Worker(workerFile, {
    // No environment: secrets of the gateway must not reach a thread that parses untrusted text.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const waiting = new Map<number, (reply: ExamineReply | undefined) => void>();
  let lastId = 0;
  let idle: NodeJS.Timeout | undefined;
  const rest = (): void => {
    // An idle worker must not keep the process alive.
    worker.unref();
    idle = setTimeout(end, idleMs).unref();
  };
  const end = (): void => {
    onEnd();
    // Callers are settled before the thread ends: a promise without an answer would hang its call.
    for (const settle of waiting.values()) settle(undefined);
    waiting.clear();
    void worker.terminate();
  };
  worker.on('message', (reply: ExamineReply) => {
    const settle = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) rest();
    settle?.(reply);
  });
  worker.on('error', end);
  worker.on('exit', end);
  return {
    rules: new Set(),
    send: (request) => worker.postMessage(request, []),
    ask: (request) =>
      new Promise((resolve) => {
        // A pending request needs the thread: keep it alive until the reply.
        clearTimeout(idle);
        worker.ref();
        const id = ++lastId;
        waiting.set(id, resolve);
        worker.postMessage(request(id), []);
      }),
  };
}
