import { LineCounter, isNode, parseDocument, type Document } from 'yaml';
import { readManifest, type Manifest } from './manifest.js';

/** A manifest read from text, or every problem with its place, such as `wc.tool.yaml:7:5 flags.lines.max …`. */
export type FileReading =
  { readonly ok: true; readonly manifest: Manifest } | { readonly ok: false; readonly problems: readonly string[] };

// A few kilobytes of nested aliases unfold to gigabytes.
const maxAliases = 20;

/** Reads a manifest from YAML, strictly: duplicate keys, unknown keys and custom tags are problems. */
export function readManifestText(file: string, text: string): FileReading {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true, customTags: [] });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0)
    return { ok: false, problems: faults.map((fault) => `${at(fault.pos[0])} ${fault.message.split('\n')[0] ?? ''}`) };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch {
    return { ok: false, problems: [`${at(0)} has too many aliases`] };
  }
  const reading = readManifest(value);
  if (reading.ok) return reading;
  return {
    ok: false,
    problems: reading.problems.map(
      ({ path, message }) => `${at(offsetOf(document, path))} ${path.join('.') || 'manifest'} ${message}`,
    ),
  };
}

/** Where the value at this path begins; where there is none, its nearest parent. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
