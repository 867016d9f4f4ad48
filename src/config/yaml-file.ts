import { constructFromEvents, parseEvents, YAMLException, type Event } from 'js-yaml';
import type { Problem } from './problem.js';
import { maxYamlDepth, outlineOf, type OutlineNode } from './yaml-outline.js';

/** Parsed YAML data, with the source position of each key. */
export interface YamlFile {
  readonly value: unknown;
  /** Position of a path or its nearest ancestor; with `key`, the position of that key inside `path`. */
  place(path: readonly PropertyKey[], key?: string): FilePosition;
}

/** 1-based, as in editors. */
interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** Parses YAML into plain data, or returns the problems; never throws. */
export function yamlFile(
  text: string,
  file: string,
): { readonly ok: true; readonly file: YamlFile } | { readonly ok: false; readonly problems: readonly Problem[] } {
  const at = positionsIn(text);
  try {
    const events: Event[] = parseEvents(text, { maxDepth: maxYamlDepth });
    // Check the outline before building data: nested aliases expand exponentially (billion laughs).
    const { root, problems: faults } = outlineOf(events, text);
    if (faults.length > 0)
      return { ok: false, problems: faults.map(({ offset, message }) => ({ file, ...at(offset), path: '', message })) };
    // Built only now: the outline has bounded what the aliases expand to.
    const [value] = constructFromEvents(events, { source: text });
    return {
      ok: true,
      file: { value: value ?? {}, place: (path, key) => at(offsetOf(root, key === undefined ? path : [...path, key])) },
    };
  } catch (error) {
    // Any other error comes from inside the parser; its message could quote the file and so a secret.
    if (!(error instanceof YAMLException))
      return { ok: false, problems: [{ file, ...at(0), path: '', message: 'is not valid YAML' }] };
    return {
      ok: false,
      problems: [{ file, ...at(error.mark?.position ?? 0), path: '', message: `is not valid YAML: ${error.reason}` }],
    };
  }
}

/** Line and column of an offset, computed when a problem needs it. */
function positionsIn(text: string): (offset: number) => FilePosition {
  return (offset) => {
    const before = text.slice(0, offset);
    // A carriage return alone also ends a line, as in old editors.
    const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    return { line: (before.match(/\r\n|\n|\r/g)?.length ?? 0) + 1, column: offset - start + 1 };
  };
}

/** Offset of a path, or of its nearest ancestor that exists. */
function offsetOf(root: OutlineNode | undefined, path: readonly PropertyKey[]): number {
  let part = root;
  let found = root?.offset ?? 0;
  for (const name of path) {
    const inner = part?.children.get(String(name));
    if (inner === undefined) return found;
    found = inner.offset;
    part = inner.part;
  }
  return found;
}
