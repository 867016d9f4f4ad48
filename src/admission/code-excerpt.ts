import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { JsonObject } from '../core/json.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';

/** Lines before and after the finding. */
const linesAround = 1;
/** Bounds: scanned code may be minified or generated. */
const maxLineLength = 300;
const maxFileBytes = 2_097_152;

/** Reads lines of scanned code; each file is read once. */
export function codeExcerpts(root: string): (file: string, line: number) => Promise<readonly JsonObject[]> {
  const files = new Map<string, Promise<readonly string[]>>();
  const linesOf = async (file: string): Promise<readonly string[]> => {
    try {
      const [base, path] = [await realpath(root), await realpath(join(root, file))];
      // A link in the scanned code must not show files elsewhere on this machine (path traversal).
      if (path !== base && !path.startsWith(base + sep)) return [];
      if ((await stat(path)).size > maxFileBytes) return [];
      return (await readFile(path, 'utf8')).split('\n');
    } catch {
      return [];
    }
  };
  return async (file, line) => {
    const read = files.get(file) ?? linesOf(file);
    files.set(file, read);
    const lines = await read;
    const first = Math.max(1, line - linesAround);
    return lines.slice(first - 1, line + linesAround).map((text, at) => ({
      line: first + at,
      // Escaped: hidden characters in scanned code must not hide again in the report.
      text: escapeInvisible(text.slice(0, maxLineLength).replaceAll('\t', '  ')),
    }));
  };
}
