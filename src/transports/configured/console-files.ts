import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../lib/hash.js';
import { packageFile } from '../../lib/package-file.js';
import type { ConsoleFile, ConsoleFiles } from '../http/console/pages.js';

/** Types of files that the build produces; other files in the folder are never served. */
const fileTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The built console, read into memory at the first request. */
export function consoleFiles(folder: string = packageFile('dist/console')): () => ConsoleFiles {
  let found: ConsoleFiles;
  return () => (found ??= readFiles(folder));
}

/**
 * All files by name; undefined if the console was not built. Names are read once, so no request can name a path (path
 * traversal).
 */
function readFiles(folder: string): ConsoleFiles {
  const files = new Map<string, ConsoleFile>();
  try {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const type = fileTypes[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) continue;
      const body = readFileSync(join(folder, name));
      // Compressed at build time: the largest file would otherwise cost milliseconds per request.
      const gzip = readFileSync(join(folder, `${name}.gz`));
      files.set(name.replaceAll('\\', '/'), { type, body, gzip, etag: `"${sha256(body).slice(0, 32)}"` });
    }
  } catch {
    return undefined;
  }
  return files.has('index.html') ? files : undefined;
}
