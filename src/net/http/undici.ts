import { createRequire } from 'node:module';

const requireModule = createRequire(import.meta.url);
let loaded: typeof import('undici') | undefined;

/** HTTP client library, loaded with the first request to keep the start of the gateway fast. */
export const undici = (): typeof import('undici') => (loaded ??= requireModule('undici') as typeof import('undici')); // typed by the package itself
