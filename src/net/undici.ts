import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
let loaded: typeof import('undici') | undefined;

/** The HTTP client, loaded when the first request leaves: a gateway that sends none does not wait for it at its start. */
export const undici = (): typeof import('undici') => (loaded ??= load('undici') as typeof import('undici')); // the package says so of itself
