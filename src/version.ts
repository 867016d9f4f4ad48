import { readFileSync } from 'node:fs';

/** The version of the package, from the one place where it is written. */
export const version: string = String((JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version?: unknown }).version);
