import type { JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { parseXml, type XmlElement } from './xml.js';

const linesParser: OutputParser = {
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

const xmlParser: OutputParser = {
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
    const result = parseXml(stdout);
    return result.ok ? { parsed: toJsonTree(result.root) } : {};
  },
};

const toJsonTree = ({ name, attributes, children, text }: XmlElement): JsonObject => ({
  name,
  attributes: Object.fromEntries(attributes),
  children: children.map(toJsonTree),
  text: text.trim(),
});

/** Parsers available to manifest files; JSON needs none, since JSON on stdout is always parsed into `metadata.json`. */
const parsers: Readonly<Record<string, OutputParser>> = { lines: linesParser, xml: xmlParser };

/** Finds a parser by name; undefined for `none`. */
export function findParser(name: string): OutputParser | 'unknown' | undefined {
  if (name === 'none') return undefined;
  return Object.hasOwn(parsers, name) ? parsers[name] : 'unknown';
}
