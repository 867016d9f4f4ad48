import { visible } from '../lib/visible.js';

const COLOURS: Readonly<Record<string, string>> = { debug: '2', info: '36', warning: '33', error: '31' };

/** A value that needs no quotes to be read as one word. */
const WORD = /^[\w.:/@%+-]+$/;

/**
 * A JSON line of the log as a line for people: time, level, event, then name=value pairs. Whatever a value holds, it
 * stays on this line and within its quotes, so that no upstream can write an event of its own.
 */
export function toText(line: string, colour: boolean): string {
  const { time, level, event, stack, ...fields } = JSON.parse(line) as Record<string, unknown>; // pino wrote an object
  const name = String(level);
  const head = `${String(time)} ${colour ? `\x1b[${COLOURS[name] ?? '0'}m` : ''}${name.toUpperCase().padEnd(7)}${colour ? '\x1b[0m' : ''} ${visible(String(event))}`;
  const pairs = Object.entries(fields).map(([key, value]) => ` ${WORD.test(key) ? key : quoted(key)}=${shown(value)}`);
  const trace =
    typeof stack === 'string'
      ? `\n${stack
          .split('\n')
          .map((part) => `    ${visible(part)}`)
          .join('\n')}`
      : '';
  return `${head}${pairs.join('')}${trace}\n`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return WORD.test(value) ? value : quoted(value);
  return visible(JSON.stringify(value));
}

const quoted = (text: string): string => visible(JSON.stringify(text));
