import { readFileSync } from 'node:fs';
import { ownFile } from './lib/own-files.js';

/** The version of the package, from the one place where it is written. */
export const version: string = String(
  (JSON.parse(readFileSync(ownFile('package.json'), 'utf8')) as { readonly version?: unknown }).version,
);
