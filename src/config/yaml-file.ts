import { constructFromEvents, parseEvents, YAMLException, type Event } from 'js-yaml';
import type { Problem } from './problem.js';
import { MAX_DEPTH, outlineOf, type Part } from './yaml-outline.js';

/** Plain data read from a YAML text, with the way back from a key to its place. */
export interface YamlFile {
  readonly value: unknown;
  /** Where a key stands, or the nearest thing above it; with `key`, the place of that key inside `path`. */
  place(path: readonly PropertyKey[], key?: string): Place;
}

/** Counted from 1, as editors do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Reads a YAML text into plain data, or says what is wrong with it; it never throws. */
export function yamlFile(
  text: string,
  file: string,
): { readonly ok: true; readonly file: YamlFile } | { readonly ok: false; readonly problems: readonly Problem[] } {
  const at = placesIn(text);
  try {
    const events: Event[] = parseEvents(text, { maxDepth: MAX_DEPTH });
    // The data is built only after the outline was found harmless: aliases share, and whoever walks the data unfolds them.
    const { root, faults } = outlineOf(events, text);
    if (faults.length > 0)
      return { ok: false, problems: faults.map(({ offset, message }) => ({ file, ...at(offset), path: '', message })) };
    const [value] = constructFromEvents(events, { source: text });
    return {
      ok: true,
      file: { value: value ?? {}, place: (path, key) => at(offsetOf(root, key === undefined ? path : [...path, key])) },
    };
  } catch (error) {
    if (!(error instanceof YAMLException))
      return { ok: false, problems: [{ file, ...at(0), path: '', message: 'cannot be read as YAML' }] };
    return {
      ok: false,
      problems: [
        { file, ...at(error.mark?.position ?? 0), path: '', message: `cannot be read as YAML: ${error.reason}` },
      ],
    };
  }
}

function placesIn(text: string): (offset: number) => Place {
  return (offset) => {
    const before = text.slice(0, offset);
    const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    return { line: (before.match(/\r\n|\n|\r/g)?.length ?? 0) + 1, column: offset - start + 1 };
  };
}

function offsetOf(root: Part | undefined, path: readonly PropertyKey[]): number {
  let part = root;
  let found = root?.offset ?? 0;
  for (const name of path) {
    const inner = part?.below.get(String(name));
    if (inner === undefined) return found;
    found = inner.offset;
    part = inner.part;
  }
  return found;
}
