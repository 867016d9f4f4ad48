import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { JsonObject } from '../core/json.js';
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
  const document = parseDocument(existsSync(path) ? readFileSync(path, 'utf8') : '');
  if (document.errors.length > 0) return document.errors.map(({ message }) => message);
  change({
    has: (id) => document.hasIn(['sources', id]),
    set: (id, entry) => document.setIn(['sources', id], document.createNode(entry)),
    delete: (id) => document.deleteIn(['sources', id]),
  });
  const text = document.toString({ lineWidth: 0 });
  // Validates before writing, with the gateway's own reader, which rejects `__proto__` as a key (prototype pollution).
  const read = yamlFile(text, path);
  if (!read.ok) return read.problems.map(({ message }) => message);
  const checked = schema.safeParse(read.file.value);
  if (!checked.success)
    return checked.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  writeFileSync(`${path}.${process.pid}.new`, text);
  renameSync(`${path}.${process.pid}.new`, path);
  return [];
}
