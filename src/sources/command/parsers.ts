import type { OutputParser } from './definition.js';

const lines: OutputParser = {
  schema: { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } }, required: ['lines'] },
  read: ({ stdout }) => ({ parsed: { lines: stdout.split('\n').filter((line) => line !== '').slice(0, 10_000) } }),
};

/** Parsers a manifest file may name. JSON needs none: standard output that is JSON becomes `metadata.json` anyway. */
const parsers: Readonly<Record<string, OutputParser>> = { lines };

/** The parser of this name; undefined for `none`. */
export function parserNamed(name: string): OutputParser | 'unknown' | undefined {
  if (name === 'none') return undefined;
  return Object.hasOwn(parsers, name) ? parsers[name] : 'unknown';
}
