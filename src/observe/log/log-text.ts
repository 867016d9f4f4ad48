import { escapeInvisible } from '../../lib/text/escape-invisible.js';

const COLOURS: Readonly<Record<string, string>> = { debug: '2', info: '36', warning: '33', error: '31' };

/** Values that need no quotes. */
const WORD = /^[\w.:/@%+-]+$/;

/**
 * Converts a JSON log line to text: time, level, event, then name=value pairs. Values stay on one line and within quotes, so
 * that no upstream can forge an event (log injection).
 */
export function toText(line: string, colour: boolean): string {
  const { time, level, event, stack, ...fields } = JSON.parse(line) as Record<string, unknown>; // pino wrote an object
  const name = String(level);
  const head = `${String(time)} ${colour ? `\x1b[${COLOURS[name] ?? '0'}m` : ''}${name.toUpperCase().padEnd(7)}${colour ? '\x1b[0m' : ''} ${escapeInvisible(String(event))}`;
  const pairs = Object.entries(fields).map(
    ([key, value]) => ` ${WORD.test(key) ? key : quoteValue(key)}=${formatValue(value)}`,
  );
  const trace =
    typeof stack === 'string'
      ? `\n${stack
          .split('\n')
          .map((part) => `    ${escapeInvisible(part)}`)
          .join('\n')}`
      : '';
  return `${head}${pairs.join('')}${trace}\n`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return WORD.test(value) ? value : quoteValue(value);
  return escapeInvisible(JSON.stringify(value));
}

const quoteValue = (text: string): string => escapeInvisible(JSON.stringify(text));
