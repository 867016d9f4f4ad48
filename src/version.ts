import { readFileSync } from 'node:fs';
import { packageFile } from './lib/package-file.js';

/** Package version, read from package.json. */
export const version: string = String(
  (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { readonly version?: unknown }).version,
);
