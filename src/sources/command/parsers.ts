import type { JsonObject } from '../../core/json.js';
import type { OutputParser } from './definition.js';
import { readXml, type XmlElement } from './xml.js';

const lines: OutputParser = {
  schema: { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } }, required: ['lines'] },
  read: ({ stdout }) => ({
    parsed: {
      lines: stdout
        .split('\n')
        .filter((line) => line !== '')
        .slice(0, 10_000),
    },
  }),
};

const xml: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      attributes: { type: 'object' },
      children: { type: 'array', items: { type: 'object' } },
      text: { type: 'string' },
    },
    required: ['name', 'attributes', 'children', 'text'],
  },
  read({ stdout }) {
    const reading = readXml(stdout);
    return reading.ok ? { parsed: treeOf(reading.root) } : {};
  },
};

const treeOf = ({ name, attributes, children, text }: XmlElement): JsonObject => ({
  name,
  attributes: Object.fromEntries(attributes),
  children: children.map(treeOf),
  text: text.trim(),
});

/** Parsers a manifest file may name. JSON needs none: standard output that is JSON becomes `metadata.json` anyway. */
const parsers: Readonly<Record<string, OutputParser>> = { lines, xml };

/** The parser of this name; undefined for `none`. */
export function parserNamed(name: string): OutputParser | 'unknown' | undefined {
  if (name === 'none') return undefined;
  return Object.hasOwn(parsers, name) ? parsers[name] : 'unknown';
}
