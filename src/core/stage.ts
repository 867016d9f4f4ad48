import type { Call } from './call.js';
import type { Guard } from './guard.js';
import type { Outcome } from './outcome.js';
import type { Handler } from './tool.js';

/** A guard under its name in the pipeline. */
export interface Stage {
  readonly name: string;
  readonly guard: Guard;
}

/**
 * Observes one call on its way through the pipeline; the operation itself is the stage `run`. Stages are numbered in the order of
 * entry. What an observer throws is ignored: it never changes a call.
 */
export interface CallObserver {
  /** The call as this stage received it: guards derive calls. */
  entered(position: number, stage: string, call: Call): void;
  /** `outcome` is undefined if the stage threw; `answered` if it decided the call: it did not call the next stage. */
  left(position: number, outcome: Outcome | undefined, answered: boolean): void;
}

/** Observes calls, each by a separate observer. */
export interface StageRecorder {
  /** Asked once per call at its entry; calls cost nothing more while it returns false. */
  isActive(): boolean;
  begin(call: Call): CallObserver;
}

/** Several recorders as one; inactive while there is none. */
export interface StageRecorders extends StageRecorder {
  /** Adds a recorder for all calls that begin from now on; returns its removal. */
  add(recorder: Pick<StageRecorder, 'begin'>): () => void;
}

export function stageRecorders(): StageRecorders {
  let all: readonly Pick<StageRecorder, 'begin'>[] = [];
  return {
    isActive: () => all.length > 0,
    begin(call) {
      const [first] = all;
      return first !== undefined && all.length === 1
        ? first.begin(call)
        : observeTogether(all.map((recorder) => beginSafely(recorder, call)));
    },
    add(recorder) {
      const own = { begin: (call: Call) => recorder.begin(call) };
      all = [...all, own];
      return () => {
        all = all.filter((each) => each !== own);
      };
    },
  };
}

/** Ignores the errors of each observer by itself, so that one cannot silence another. */
const observeTogether = (observers: readonly CallObserver[]): CallObserver => ({
  entered(position, stage, call) {
    for (const observer of observers) reportEntry(observer, position, stage, call);
  },
  left(position, outcome, answered) {
    for (const observer of observers) reportEnd(observer, position, outcome, answered);
  },
});

/** The stages with a recorder around each of them, and around the operation. */
export function recordStages(stages: readonly Stage[], recorder: StageRecorder): readonly Stage[] {
  const running = new Map<string, RunningCall>();
  return [...stages, runStage].map(({ name, guard }): Stage => ({
    name,
    guard(tool, next) {
      const handler = guard(tool, next);
      // A guard that does not concern this tool is no stage of its calls.
      return handler === next && name !== runStage.name ? next : recordStage(name, handler, running, recorder);
    },
  }));
}

/** A call between its first stage and its end. Its stages are distinguished by their position. */
interface RunningCall {
  readonly observer: CallObserver;
  entries: number;
  /** Position of the stage entered last; a stage that leaves at this position has answered by itself. */
  deepest: number;
  /** Promise of the stage that returned last, and the outer stages that returned the same one. */
  promise: Promise<Outcome> | undefined;
  outer: number[] | undefined;
}

function recordStage(
  name: string,
  handler: Handler,
  running: Map<string, RunningCall>,
  recorder: StageRecorder,
): Handler {
  return (call) => {
    let trace = running.get(call.id);
    if (trace === undefined) {
      trace = { observer: beginSafely(recorder, call), entries: 0, deepest: 0, promise: undefined, outer: undefined };
      running.set(call.id, trace);
    }
    const of = trace;
    const position = of.entries++;
    of.deepest = position;
    reportEntry(of.observer, position, name, call);
    let result: Promise<Outcome>;
    try {
      result = handler(call);
    } catch (error) {
      leaveStage(of, position, undefined);
      if (position === 0) running.delete(call.id);
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    if (position === 0) {
      const end = (): void => void running.delete(call.id);
      // Before the reaction of this stage: a call that begins in a continuation may carry the same id.
      result.then(end, end);
    }
    // A stage that returns the promise of the next one ends with it: no further reaction is needed.
    if (result === of.promise) (of.outer ??= []).push(position);
    else {
      const outer: number[] = [];
      of.promise = result;
      of.outer = outer;
      const leave = (outcome: Outcome | undefined): void => {
        leaveStage(of, position, outcome);
        for (const other of outer) leaveStage(of, other, outcome);
      };
      // Observed beside the chain: the guard outside gets the same promise, so a recorded call awaits nothing more. This reaction is
      // the first one, so a stage has left before the one around it continues.
      result.then(leave, () => leave(undefined));
    }
    return result;
  };
}

const leaveStage = ({ observer, deepest }: RunningCall, position: number, outcome: Outcome | undefined): void =>
  reportEnd(observer, position, outcome, position === deepest);

const runStage: Stage = { name: 'run', guard: (_tool, next) => next };

const silent: CallObserver = { entered: () => {}, left: () => {} };

function beginSafely(recorder: Pick<StageRecorder, 'begin'>, call: Call): CallObserver {
  try {
    return recorder.begin(call);
  } catch {
    return silent;
  }
}

function reportEntry(observer: CallObserver, position: number, stage: string, call: Call): void {
  try {
    observer.entered(position, stage, call);
  } catch {
    // An observer never changes a call.
  }
}

function reportEnd(observer: CallObserver, position: number, outcome: Outcome | undefined, answered: boolean): void {
  try {
    observer.left(position, outcome, answered);
  } catch {
    // An observer never changes a call.
  }
}
