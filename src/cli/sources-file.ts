import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { JsonObject } from '../core/json.js';
import { schema } from '../config/schema.js';
import { yamlFile } from '../config/yaml-file.js';

/** Changes the `sources` of a configuration file and leaves the rest of it, comments included, as it was; says what is wrong otherwise. */
export function changeSources(
  path: string,
  change: (sources: {
    has(id: string): boolean;
    set(id: string, entry: JsonObject): void;
    delete(id: string): boolean;
  }) => void,
): readonly string[] {
  const document = parseDocument(existsSync(path) ? readFileSync(path, 'utf8') : '');
  if (document.errors.length > 0) return document.errors.map(({ message }) => message);
  change({
    has: (id) => document.hasIn(['sources', id]),
    set: (id, entry) => document.setIn(['sources', id], document.createNode(entry)),
    delete: (id) => document.deleteIn(['sources', id]),
  });
  const text = document.toString({ lineWidth: 0 });
  // A file that would stop the gateway is not written; it is read as the gateway reads it, which takes no `__proto__` for a name.
  const read = yamlFile(text, path);
  if (!read.ok) return read.problems.map(({ message }) => message);
  const checked = schema.safeParse(read.file.value);
  if (!checked.success)
    return checked.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  writeFileSync(`${path}.${process.pid}.new`, text);
  renameSync(`${path}.${process.pid}.new`, path);
  return [];
}
