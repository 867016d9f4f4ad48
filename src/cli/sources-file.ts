import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { JsonObject } from '../core/json.js';
import { schema } from '../config/schema.js';

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
  const checked = schema.safeParse(document.toJS() ?? {});
  // A file that would stop the gateway is not written.
  if (!checked.success)
    return checked.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  writeFileSync(`${path}.${process.pid}.new`, document.toString({ lineWidth: 0 }));
  renameSync(`${path}.${process.pid}.new`, path);
  return [];
}
