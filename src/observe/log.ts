import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type { Call } from '../core/call.js';
import { redactor } from '../lib/redact.js';
import { visible } from '../lib/visible.js';
import { logEvents, type Level, type LogEvent } from './log-events.js';
import { toText } from './log-text.js';

export type { Level, LogEvent } from './log-events.js';

/** Facts beside an event; values may come from upstream, since they are escaped. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log of this process: one line per event on stderr, never on stdout, which belongs to the stdio door. */
export interface Log {
  event(name: LogEvent, fields?: LogFields): void;
  /** A bug that the contain guard caught: the only lines that carry a stack. */
  fault(error: unknown, call: Call): void;
  /** Whether events of this level are written, for callers whose fields are costly. */
  writes(level: Level): boolean;
  /** Secrets learnt later, such as those of a reloaded configuration; what was hidden before stays hidden. */
  hide(secrets: Iterable<string>): void;
}

export interface LogOptions {
  /** Any case; an unknown name means info. */
  readonly level?: string;
  readonly format?: 'text' | 'json';
  readonly secrets?: Iterable<string>;
  readonly colour?: boolean;
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

// Required, not imported: Node reads a CommonJS package twice when a module imports it, and this one is large.
const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino'); // the package says so of itself

const PINO_LEVEL = { debug: 'debug', info: 'info', warning: 'warn', error: 'error' } as const satisfies Record<
  Level,
  string
>;
const LEVEL_NAMES: Readonly<Record<string, Level>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  fatal: 'error',
};
/** One string of a field is at most this long; a hostile upstream must not fill the disk through the log. */
const LONGEST = 8_192;

/** The level a name means in any case, or undefined where it means none. */
export const levelOf = (name: string): Level | undefined => LEVEL_NAMES[name.trim().toLowerCase()];

/** A log with the given level and form; JSON lines by default, text with colour only where asked. */
export function log(options: LogOptions = {}): Log {
  const { format = 'json', colour = false, write = toStderr(), now = () => new Date() } = options;
  const known = new Set(options.secrets);
  let secrets = redactor(known);
  const lines = pino(
    {
      level: PINO_LEVEL[levelOf(options.level ?? 'info') ?? 'info'],
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }) },
      messageKey: 'event',
    },
    // JSON leaves C1 controls and bidi marks as they are; escaped they are the same JSON and harmless on a terminal.
    { write: (line: string) => write(format === 'text' ? toText(line, colour) : `${visible(line.trimEnd())}\n`) },
  );
  const put = (name: LogEvent, fields: LogFields): void => {
    const level = PINO_LEVEL[logEvents[name]];
    if (lines.isLevelEnabled(level)) lines[level](shown(fields, secrets.value), name);
  };
  return {
    event: (name, fields = {}) => put(name, fields),
    fault: (error, call) =>
      put('tool.fault', {
        tool: call.tool,
        call: call.id,
        correlation_id: call.correlationId,
        ...traceOf(call),
        ...faultOf(error),
      }),
    writes: (level) => lines.isLevelEnabled(PINO_LEVEL[level]),
    hide(values) {
      for (const value of values) known.add(value);
      secrets = redactor(known);
    },
  };
}

/** The ids by which a line is found again: the caller's correlation id and, where there is one, the trace. */
export const idsOf = (call: Call): LogFields => ({
  call: call.id,
  correlation_id: call.correlationId,
  ...traceOf(call),
});

function traceOf(call: Call): LogFields {
  const [, trace_id, span_id] = call.trace?.traceparent.split('-') ?? [];
  return trace_id === undefined ? {} : { trace_id, span_id };
}

/** Fields without secrets, with names of the line itself out of their reach, and no string longer than a line may be. */
function shown(fields: LogFields, redact: (value: unknown) => unknown): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined) out[RESERVED.has(key) ? `field_${key}` : key] = plain(value);
  const redacted = redact(out) as Record<string, unknown>; // the redactor answers an object with an object
  for (const [key, value] of Object.entries(redacted)) {
    if (typeof value === 'string' && value.length > LONGEST)
      redacted[key] = `${value.slice(0, LONGEST)}… (${value.length} characters)`;
  }
  return redacted;
}

const RESERVED = new Set(['time', 'level', 'event', '__proto__']);

const plain = (value: unknown): unknown =>
  value instanceof Error ? faultOf(value) : typeof value === 'bigint' ? String(value) : value;

const faultOf = (error: unknown): LogFields =>
  error instanceof Error
    ? { error: error.name, message: error.message, stack: error.stack }
    : { error: 'thrown', message: inspect(error, { depth: 2 }) };

/** Writes to stderr at once; a log that cannot be written must not take the gateway down with it. */
function toStderr(): (line: string) => void {
  let cutShort = false;
  return (line) => {
    const data = Buffer.from(cutShort ? `\n${line}` : line);
    let written = 0;
    try {
      while (written < data.length) written += writeSync(2, data, written);
      cutShort = false;
    } catch {
      // EAGAIN on a full pipe or EPIPE on a closed one: the line is lost, and the next must not be glued to its beginning.
      cutShort = cutShort || written > 0;
    }
  };
}
