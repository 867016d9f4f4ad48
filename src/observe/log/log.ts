import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type { Call } from '../../core/call.js';
import { redactor } from '../../hostile-text/redact.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { logEvents, type Level, type LogEvent } from './log-events.js';
import { toText } from './log-text.js';
import { plainFields } from './plain-line.js';
import { processSink, type LogSink } from './stderr-sink.js';

export type { Level, LogEvent } from './log-events.js';

/** Fields of an event; values are escaped, so they may come from an upstream. */
type LogFields = Readonly<Record<string, unknown>>;

/** Log of this process: one line per event on stderr; stdout belongs to the stdio transport. */
export interface Log {
  event(name: LogEvent, fields?: LogFields): void;
  /** Logs a bug caught by the contain guard; the only lines with a stack trace. */
  fault(error: unknown, call: Call): void;
  /** Whether events of this level are written, for callers with expensive fields. */
  writes(level: Level): boolean;
  /** Adds secrets to redact, such as those of a reloaded configuration; earlier ones stay redacted. */
  hide(secrets: Iterable<string>): void;
  /** Applies other settings from the next line on. */
  configure(settings: Required<Pick<LogOptions, 'level' | 'format'>>): void;
}

export interface LogOptions {
  /** Any case; an unknown name means info. */
  readonly level?: string;
  /** `auto` is text on a terminal and JSON elsewhere. */
  readonly format?: 'auto' | 'text' | 'json';
  /** Whether the log goes to a terminal. */
  readonly isTerminal?: boolean;
  readonly secrets?: Iterable<string>;
  readonly colour?: boolean;
  readonly write?: LogSink;
  readonly now?: () => Date;
}

// `require`, since Node parses an imported CommonJS package twice, and pino is large.
const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino'); // typed by the package itself

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
/** Maximum length of a string field, so that a hostile upstream cannot fill the disk through the log. */
const MAX_FIELD_CHARS = 8_192;

/** Parses a level name in any case; undefined if unknown. */
export const levelOf = (name: string): Level | undefined => LEVEL_NAMES[name.trim().toLowerCase()];

/** Creates a log; JSON lines by default. */
export function log(options: LogOptions = {}): Log {
  const { colour = false, isTerminal = false, write = processSink(), now } = options;
  const formatOf = (wanted: LogOptions['format'] = 'json'): 'text' | 'json' =>
    wanted === 'auto' ? (isTerminal ? 'text' : 'json') : wanted;
  let format = formatOf(options.format);
  const timeNow = now === undefined ? isoTime : () => now().toISOString();
  const known = new Set(options.secrets);
  let secrets = redactor(known);
  let plain = plainFields({ redact: secrets.text, isReserved });
  /** Level of the line that is being written. */
  let severity: Level = 'info';
  const lines = pino(
    {
      level: PINO_LEVEL[levelOf(options.level ?? 'info') ?? 'info'],
      base: null,
      timestamp: () => `,"time":"${timeNow()}"`,
      formatters: { level: (label) => ({ level: label === 'warn' ? 'warning' : label }) },
      messageKey: 'event',
    },
    // JSON leaves C1 controls and bidi marks unescaped; escaping them keeps the JSON equal and terminals safe (terminal injection).
    {
      write: (line: string) =>
        write(format === 'text' ? toText(line, colour) : `${escapeInvisible(line.trimEnd())}\n`, isUrgent(severity)),
    },
  );
  const put = (name: LogEvent, fields: LogFields): void => {
    const level = logEvents[name];
    if (!lines.isLevelEnabled(PINO_LEVEL[level])) return;
    const text = format === 'json' ? plain(fields) : undefined;
    if (text !== undefined)
      return write(`{"level":"${level}","time":"${timeNow()}"${text},"event":"${name}"}\n`, isUrgent(level));
    severity = level;
    lines[PINO_LEVEL[level]](toPrintableFields(fields, secrets.value), name);
  };
  return {
    event: (name, fields = {}) => put(name, fields),
    fault: (error, call) =>
      put('tool.fault', {
        tool: call.tool,
        call: call.id,
        correlation_id: call.correlationId,
        ...traceOf(call),
        ...toFaultFields(error),
      }),
    writes: (level) => lines.isLevelEnabled(PINO_LEVEL[level]),
    hide(values) {
      const before = known.size;
      for (const value of values) known.add(value);
      if (known.size === before) return;
      secrets = redactor(known);
      plain = plainFields({ redact: secrets.text, isReserved });
    },
    configure(settings) {
      format = formatOf(settings.format);
      lines.level = PINO_LEVEL[levelOf(settings.level) ?? 'info'];
    },
  };
}

function traceOf(call: Call): LogFields {
  const [, trace_id, span_id] = call.trace?.traceparent.split('-') ?? [];
  return trace_id === undefined ? {} : { trace_id, span_id };
}

/** Redacts secrets, renames fields that collide with reserved names, and truncates long strings. */
function toPrintableFields(fields: LogFields, redact: (value: unknown) => unknown): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined) out[RESERVED.has(key) ? `field_${key}` : key] = toLoggable(value);
  const redacted = redact(out) as Record<string, unknown>; // the redactor maps objects to objects
  for (const [key, value] of Object.entries(redacted)) {
    if (typeof value === 'string' && value.length > MAX_FIELD_CHARS)
      redacted[key] = `${value.slice(0, MAX_FIELD_CHARS)}… (${value.length} characters)`;
  }
  return redacted;
}

const RESERVED = new Set(['time', 'level', 'event', '__proto__']);
const isReserved = (key: string): boolean => RESERVED.has(key);

/** Warnings and errors are written at once: after a crash they are what is looked for. */
const isUrgent = (level: Level): boolean => level === 'warning' || level === 'error';

let stampedAt = 0;
let stamp = '';

/** Current time as ISO text, cached per millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== stampedAt) {
    stampedAt = now;
    stamp = new Date(now).toISOString();
  }
  return stamp;
}

const toLoggable = (value: unknown): unknown =>
  value instanceof Error ? toFaultFields(value) : typeof value === 'bigint' ? String(value) : value;

const toFaultFields = (error: unknown): LogFields =>
  error instanceof Error
    ? { error: error.name, message: error.message, stack: error.stack }
    : { error: 'thrown', message: inspect(error, { depth: 2 }) };
