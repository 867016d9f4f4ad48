import { LineCounter, isNode, parseDocument, type Document } from 'yaml';
import { parseManifest, type Manifest } from './manifest.js';

/** A manifest, or all problems with their position, such as `wc.tool.yaml:7:5 flags.lines.max …`. */
type ManifestFileResult =
  { readonly ok: true; readonly manifest: Manifest } | { readonly ok: false; readonly problems: readonly string[] };

// Billion laughs: a few kilobytes of nested aliases expand to gigabytes.
const maxAliases = 20;

/** Parses a manifest from YAML; duplicate keys, unknown keys and custom tags are errors. */
export function parseManifestText(file: string, text: string): ManifestFileResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true, customTags: [] });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  // Warnings count, too: YAML 1.1 forms such as `yes` would be read differently by other tools.
  const yamlErrors = [...document.errors, ...document.warnings];
  if (yamlErrors.length > 0)
    return {
      ok: false,
      problems: yamlErrors.map((fault) => `${at(fault.pos[0])} ${fault.message.split('\n')[0] ?? ''}`),
    };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch {
    return { ok: false, problems: [`${at(0)} has too many aliases`] };
  }
  const result = parseManifest(value);
  if (result.ok) return result;
  return {
    ok: false,
    problems: result.problems.map(
      ({ path, message }) => `${at(offsetOf(document, path))} ${path.join('.') || 'manifest'} ${message}`,
    ),
  };
}

/** Offset of the value at this path, or of its nearest existing parent. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
