import type { JsonObject } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import type { CallObserver, StageRecorder } from '../core/stage.js';
import type { Clock } from '../lib/clock.js';
import { monotonic } from '../lib/clock.js';

/** Time of a call in each stage of the pipeline. */
export interface StageLog extends Pick<StageRecorder, 'begin'> {
  /** Stages in the order of entry; undefined if the call was not recorded. */
  stagesOf(call: string): readonly JsonObject[] | undefined;
}

const maxCalls = 1_000;

/** Keeps the stages of the newest calls. */
export function stageLog(clock: Clock = monotonic): StageLog {
  const byCall = new Map<string, StageTimes>();
  return {
    begin({ id }) {
      const times = new StageTimes(clock);
      byCall.set(id, times);
      if (byCall.size > maxCalls) {
        const oldest = byCall.keys().next();
        if (oldest.done !== true) byCall.delete(oldest.value);
      }
      return times;
    },
    stagesOf: (call) => byCall.get(call)?.toJson(),
  };
}

/** Parallel lists by position: a stage costs two readings of the clock and no object. */
class StageTimes implements CallObserver {
  readonly #clock: Clock;
  readonly #names: string[] = [];
  readonly #entered: number[] = [];
  readonly #left: number[] = [];
  readonly #codes: (string | undefined)[] = [];
  #answered = -1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  entered(position: number, stage: string): void {
    this.#names[position] = stage;
    this.#entered[position] = this.#clock();
    this.#left[position] = Number.NaN;
  }

  left(position: number, outcome: Outcome | undefined, answered: boolean): void {
    this.#left[position] = this.#clock();
    if (answered) this.#answered = position;
    if (outcome?.kind === 'failed') this.#codes[position] = outcome.error.code;
  }

  toJson(): readonly JsonObject[] {
    const total = (at: number): number => (this.#left[at] ?? Number.NaN) - (this.#entered[at] ?? Number.NaN);
    const start = this.#entered[0] ?? 0;
    return this.#names.map((stage, at): JsonObject => {
      const whole = total(at);
      const inner = total(at + 1);
      const code = this.#codes[at];
      return {
        stage,
        at_ms: (this.#entered[at] ?? start) - start,
        total_ms: Number.isNaN(whole) ? null : whole,
        // Time in the stage itself: without the stages inside of it.
        own_ms: Number.isNaN(whole) ? null : whole - (Number.isNaN(inner) ? 0 : inner),
        answered: this.#answered === at,
        ...(code !== undefined && { code }),
      };
    });
  }
}
