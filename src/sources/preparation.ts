import type { JsonObject } from '../core/json.js';
import type { SourcePhase, SourcePhaseTime } from '../core/source.js';

/** Reports that a phase begins, and what it is about. */
export type OnPhase = (phase: SourcePhase, what?: string) => void;

/** What a source is doing before its first list, for health reports, events and callers that wait. */
export interface Preparation {
  readonly enter: OnPhase;
  /** Ends an attempt that failed; the next one has phases again. */
  leave(): void;
  /** Ends the preparation for good: later starts of a process are no phases of the source. */
  finish(): void;
  /** Phases of the last attempt. */
  phases(): readonly SourcePhaseTime[];
  current(): { readonly phase: SourcePhase; readonly seconds: number; readonly what?: string } | undefined;
}

/** Tracks the phases of one source and reports each as `source.phase`; repeated entries of one phase are one. */
export function preparation(
  source: string,
  onEvent: (event: string, fields: JsonObject) => void,
  now: () => number = Date.now,
): Preparation {
  let phase: SourcePhase | undefined;
  let what: string | undefined;
  let since = 0;
  let isFinished = false;
  let times: { phase: SourcePhase; startedAt: string; durationMs?: number }[] = [];
  const endPhase = (): void => {
    const last = times.at(-1);
    if (last && last.durationMs === undefined) last.durationMs = now() - since;
  };
  return {
    enter(next, about) {
      // A later restart of the process is no preparation of the source.
      if (isFinished || next === phase) return;
      // A new attempt starts a new list of times.
      if (phase === undefined) times = [];
      endPhase();
      phase = next;
      what = about;
      since = now();
      times.push({ phase: next, startedAt: new Date(since).toISOString() });
      onEvent('source.phase', { source, phase: next, ...(about !== undefined && { what: about }) });
    },
    leave() {
      endPhase();
      phase = undefined;
    },
    phases: () => times,
    finish() {
      endPhase();
      isFinished = true;
      phase = undefined;
    },
    current: () =>
      phase === undefined
        ? undefined
        : { phase, seconds: Math.round((now() - since) / 1000), ...(what !== undefined && { what }) },
  };
}
