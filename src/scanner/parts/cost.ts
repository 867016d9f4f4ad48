import { languageOf } from '../languages/index.js';

/** Share of the memory that lazily parsed code takes, compared with completely parsed code. */
const lazyShare = 0.4;
const minLazyBytes = 8_000;

/** Estimates the memory that parsing a file takes, in bytes of completely parsed code. */
export const costOf = (path: string, bytes: number): number =>
  languageOf(path) === 'javascript' && bytes >= minLazyBytes ? Math.ceil(bytes * lazyShare) : bytes;
