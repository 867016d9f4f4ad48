import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDocument } from 'yaml';
import type { JsonObject } from '../core/json.js';
import { makeFolder } from '../lib/make-folder.js';
import { schema } from '../config/schema.js';
import { yamlFile } from '../config/yaml-file.js';

/** Changes the `sources` of a configuration file and preserves the rest, comments included; returns problems, or none on success. */
export function changeSources(
  path: string,
  change: (sources: {
    has(id: string): boolean;
    set(id: string, entry: JsonObject): void;
    delete(id: string): boolean;
  }) => void,
): readonly string[] {
  // Parsed as a document, not as a value: comments, order and quoting of the user's file survive.
  const document = parseDocument(existsSync(path) ? readFileSync(path, 'utf8') : '');
  if (document.errors.length > 0) return document.errors.map(({ message }) => message);
  change({
    has: (id) => document.hasIn(['sources', id]),
    set: (id, entry) => document.setIn(['sources', id], document.createNode(entry)),
    // An empty document has no collection to delete from.
    delete: (id) => document.hasIn(['sources', id]) && document.deleteIn(['sources', id]),
  });
  // lineWidth 0 turns off folding, which would rewrite long lines that the change does not concern.
  const text = document.toString({ lineWidth: 0 });
  // An unchanged file is not written: watchers would reload, and its timestamps would change.
  if (existsSync(path) ? text === readFileSync(path, 'utf8') : document.contents === null) return [];
  // Validates before writing, with the gateway's own reader, which rejects `__proto__` as a key (prototype pollution).
  const read = yamlFile(text, path);
  if (!read.ok) return read.problems.map(({ message }) => message);
  const checked = schema.safeParse(read.file.value);
  if (!checked.success)
    return checked.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  makeFolder(dirname(path));
  // Written beside the file and renamed: a crash leaves the old file, never half of the new one.
  writeFileSync(`${path}.${process.pid}.new`, text);
  renameSync(`${path}.${process.pid}.new`, path);
  return [];
}
