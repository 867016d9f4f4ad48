import type { Json, JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { parseXml, type XmlElement } from './xml.js';

/** Entries that a parser returns at most; the rest stays in `stdout`. */
const maxEntries = 10_000;

/** Lines with content, bounded. */
const nonEmptyLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, maxEntries);

/** Every line as an item, for programs that print a list. */
const linesParser: OutputParser = {
  schema: { type: 'object', properties: { lines: { type: 'array', items: { type: 'string' } } }, required: ['lines'] },
  read({ stdout }) {
    const lines = nonEmptyLines(stdout);
    return { parsed: { lines }, summary: `${lines.length} lines` };
  },
};

/** Lines of the form `key: value` or `key=value`. */
const keyValueParser: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      values: { type: 'object', additionalProperties: { type: ['string', 'array'], items: { type: 'string' } } },
    },
    required: ['values'],
  },
  read({ stdout }) {
    // A map, because keys come from the program's output and may be `__proto__`.
    const values = new Map<string, string | readonly string[]>();
    for (const line of nonEmptyLines(stdout)) {
      // Bounded repetition, so that a long line cannot cause catastrophic backtracking (ReDoS).
      const [, key, value = ''] = /^\s*([^:=\s][^:=]{0,127}?)\s*[:=]\s*(.*?)\s*$/.exec(line) ?? [];
      if (key === undefined) continue;
      const earlier = values.get(key);
      // A key that occurs again has a list of all its values: the first one alone would hide the others.
      values.set(key, earlier === undefined ? value : [...(typeof earlier === 'string' ? [earlier] : earlier), value]);
    }
    return { parsed: { values: Object.fromEntries(values) }, summary: `${values.size} keys` };
  },
};

/** One JSON value per line; lines that are none are counted. */
const jsonLinesParser: OutputParser = {
  schema: {
    type: 'object',
    properties: { records: { type: 'array' }, skipped: { type: 'integer' } },
    required: ['records', 'skipped'],
  },
  read({ stdout }) {
    const lines = nonEmptyLines(stdout);
    const records = lines.flatMap(parseRecord);
    return { parsed: { records, skipped: lines.length - records.length }, summary: `${records.length} records` };
  },
};

/** The JSON value of a line, or nothing if the line has none. */
function parseRecord(line: string): readonly Json[] {
  try {
    return [JSON.parse(line) as Json]; // JSON.parse returns JSON
  } catch {
    return [];
  }
}

/** XML as a tree of plain objects. */
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
    // Output that does not parse has no `parsed`; stdout still has all of it.
    if (!result.ok) return {};
    const xml = toJsonTree(result.root);
    return { parsed: xml, xml, summary: `<${result.root.name}> with ${result.root.children.length} elements` };
  },
};

/** An element without its prototype and maps, as JSON. */
const toJsonTree = ({ name, attributes, children, text }: XmlElement): JsonObject => ({
  name,
  attributes: Object.fromEntries(attributes),
  children: children.map(toJsonTree),
  text: text.trim(),
});

/** Parsers available to manifest files; JSON needs none, since JSON on stdout is always parsed into `metadata.json`. */
const parsers: Readonly<Record<string, OutputParser>> = {
  lines: linesParser,
  key_value: keyValueParser,
  json_lines: jsonLinesParser,
  xml: xmlParser,
};

/** Names of all parsers, for messages and documents. */
export const parserNames: readonly string[] = ['none', ...Object.keys(parsers)];

/** Finds a parser by name; undefined for `none`. */
export function findParser(name: string): OutputParser | 'unknown' | undefined {
  if (name === 'none') return undefined;
  return Object.hasOwn(parsers, name) ? parsers[name] : 'unknown';
}
