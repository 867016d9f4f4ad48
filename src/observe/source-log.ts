import type { JsonObject } from '../core/json.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';

/** One line about a source: of its stderr, or an event of the gateway. */
export interface SourceLine {
  /** Increases by one per line of all sources. */
  readonly seq: number;
  readonly at: string;
  /** `stderr`, or the name of an event such as `source.phase`. */
  readonly what: string;
  readonly text: string;
}

/** The latest lines of each source, in memory. */
export interface SourceLog {
  add(event: string, fields: JsonObject): void;
  /** Lines of a source after the one with this number. */
  lines(source: string, after: number): readonly SourceLine[];
}

const maxLines = 500;
const maxSources = 1_000;
const maxLineLength = 2_000;

/** Keeps the latest lines per source; an untrusted server fills only its own part. */
export function sourceLog(now: () => Date = () => new Date()): SourceLog {
  const bySource = new Map<string, SourceLine[]>();
  let seq = 0;
  return {
    add(event, { source, line, ...fields }) {
      if (typeof source !== 'string') return;
      let lines = bySource.get(source);
      if (lines === undefined) {
        if (bySource.size >= maxSources) return;
        bySource.set(source, (lines = []));
      }
      const isOutput = event === 'upstream.stderr' && typeof line === 'string';
      const text = isOutput
        ? line
        : Object.entries(fields)
            .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(', ');
      seq += 1;
      lines.push({
        seq,
        at: now().toISOString(),
        what: isOutput ? 'stderr' : event,
        text: escapeInvisible(text.slice(0, maxLineLength)),
      });
      if (lines.length > maxLines) lines.shift();
    },
    lines: (source, after) => (bySource.get(source) ?? []).filter((line) => line.seq > after),
  };
}
