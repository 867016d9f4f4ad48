import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../core/json.js';
import { isPlainObject } from './plain-object.js';

/** Format of an assistant's configuration file; JSON may have comments, trailing commas and a byte order mark. */
export type DocumentFormat = 'json' | 'toml' | 'yaml';

/** Keys from the root to a value; a number is an index of a list. */
type DocumentPath = readonly (string | number)[];

/** A configuration file as text that can be changed in place: comments and formatting of everything else stay. */
export interface TextDocument {
  readonly value: JsonObject;
  /** The text with one value set, or removed if undefined. */
  withValue(path: DocumentPath, value: unknown): string;
}

/** Parses a file; an empty text is an empty document. */
export async function openDocument(
  format: DocumentFormat,
  text: string,
): Promise<TextDocument | { readonly problem: string }> {
  const editor = await editors[format]();
  const opened = editor(text);
  if ('problem' in opened) return opened;
  return {
    value: opened.value,
    withValue(path, value) {
      const after = opened.withValue(path, value);
      const wanted = withValueAt(opened.value, path, value);
      const read = editor(after);
      // The file belongs to another program: an edit that changes anything else must never be written.
      if ('problem' in read || !isDeepStrictEqual(normalized(read.value), normalized(wanted)))
        throw new Error('the file cannot be edited without changing other parts of it');
      return after;
    },
  };
}

/** Parses a text into a document that can be edited. */
type Editor = (text: string) => TextDocument | { readonly problem: string };

/** Loaded on demand: most runs edit one file in one format. */
const editors: Readonly<Record<DocumentFormat, () => Promise<Editor>>> = {
  json: jsonEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
};

async function jsonEditor(): Promise<Editor> {
  const { applyEdits, findNodeAtLocation, modify, parse, parseTree, printParseErrorCode } =
    await import('jsonc-parser');
  return (whole) => {
    // A byte order mark is no JSON, but Windows editors write one; it is put back afterwards.
    const mark = whole.startsWith('\uFEFF') ? '\uFEFF' : '';
    const text = whole.slice(mark.length);
    const errors: { error: number; offset: number; length: number }[] = [];
    const parsed: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error !== undefined)
      return { problem: `line ${text.slice(0, error.offset).split('\n').length}: ${printParseErrorCode(error.error)}` };
    if (!isPlainObject(parsed)) return { problem: 'it is not an object' };
    // Indentation and line ends are taken from the file, so that the edit does not stand out in a diff.
    const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
    const eol = text.includes('\r\n') ? '\r\n' : '\n';
    const print = (value: unknown, depth: number): string =>
      JSON.stringify(value, null, indent).replaceAll('\n', `${eol}${indent.repeat(depth)}`);
    return {
      value: parsed,
      withValue: (path, value) => {
        const base = text.trim() === '' ? `{}${eol}` : text;
        const [edit, ...more] = modify(base, [...path], value, {});
        // No edit: the value is there already.
        if (edit === undefined) return whole;
        // Removals also take a comma or a line with them; the library gets those right.
        if (value === undefined || more.length > 0) return mark + applyEdits(base, [edit, ...more]);
        // The library prints on one line; its own formatter would also change the lines around the insertion.
        const root = parseTree(base, [], { allowTrailingComma: true });
        // Index of the first key on the path that does not exist yet; below it everything is new.
        const known = path.findIndex(
          (_, index) => !root || !findNodeAtLocation(root, path.slice(0, index + 1) as string[]),
        );
        if (known < 0) return mark + applyEdits(base, [{ ...edit, content: print(value, path.length) }]);
        const nested = path.slice(known + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
        const parent = root && (known === 0 ? root : findNodeAtLocation(root, path.slice(0, known) as string[]));
        const content = [
          edit.content.startsWith(',') ? ',' : '',
          `${eol}${indent.repeat(known + 1)}${JSON.stringify(path[known])}: ${print(nested, known + 1)}`,
          edit.content.endsWith(',') ? ',' : '',
          (parent?.children ?? []).length === 0 ? `${eol}${indent.repeat(known)}` : '',
        ].join('');
        return mark + applyEdits(base, [{ ...edit, content }]);
      },
    };
  };
}

async function tomlEditor(): Promise<Editor> {
  const { parse, patch, stringify } = await import('@decimalturn/toml-patch');
  const key = (word: string | number): string =>
    /^[A-Za-z0-9_-]+$/.test(String(word)) ? String(word) : JSON.stringify(word);
  // Whether a text has exactly the wanted content; a library that drops a table silently is caught here.
  const reads = (text: string, wanted: JsonObject): boolean => {
    try {
      return isDeepStrictEqual(normalized(parse(text)), normalized(wanted));
    } catch {
      return false;
    }
  };
  return (text) => {
    try {
      const value: unknown = parse(text);
      if (!isPlainObject(value)) return { problem: 'it is not a table' };
      return {
        value,
        withValue: (path, item) => {
          const wanted = withValueAt(value, path, item);
          // A new entry becomes a separate table at the end, as people write it; the library would add an inline table.
          const table = isPlainObject(item)
            ? `${text.trim() === '' ? '' : `${text.trimEnd()}\n\n`}[${path.map(key).join('.')}]\n${stringify(item)}`
            : undefined;
          if (table !== undefined && reads(table, wanted)) return table;
          const after = patch(text, wanted);
          return after.endsWith('\n') ? after : `${after}\n`;
        },
      };
    } catch (error) {
      return { problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
    }
  };
}

async function yamlEditor(): Promise<Editor> {
  const { parseDocument } = await import('yaml');
  return (text) => {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) return { problem: error.message.split('\n')[0] ?? '' };
    const value: unknown = document.toJS() ?? {};
    if (!isPlainObject(value)) return { problem: 'it is not a mapping' };
    return {
      value,
      withValue(path, item) {
        // Edited on a copy: `withValue` must not change the document it was called on.
        const copy = parseDocument(text);
        if (item === undefined) copy.deleteIn(path);
        else copy.setIn(path, copy.createNode(item));
        return copy.toString({ lineWidth: 0 });
      },
    };
  };
}

/** A copy with one value set or removed; missing objects on the way are created. */
function withValueAt(whole: JsonObject, path: DocumentPath, value: unknown): JsonObject {
  const copy = structuredClone(whole) as Record<string | number, unknown>; // lists are indexed like objects on the way down
  let at = copy;
  // Missing levels become lists or objects, depending on the next key.
  for (const [index, key] of path.slice(0, -1).entries()) {
    const next = at[key];
    if (typeof next !== 'object' || next === null) at[key] = typeof path[index + 1] === 'number' ? [] : {};
    at = at[key] as Record<string | number, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy as JsonObject;
}

/** Compared without class instances (dates of TOML) and without objects that became empty by a removal. */
function normalized(value: unknown): unknown {
  const prune = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(prune);
    if (!isPlainObject(item)) return item;
    const kept = Object.entries(item).flatMap(([key, child]) => {
      const pruned = prune(child);
      return isPlainObject(pruned) && Object.keys(pruned).length === 0 ? [] : [[key, pruned]];
    });
    return Object.fromEntries(kept);
  };
  // Through JSON, so that dates and undefined compare by their value.
  return prune(JSON.parse(JSON.stringify(value)));
}
