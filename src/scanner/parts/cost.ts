import { languageOf } from '../languages/index.js';

/** Code that is read with the bodies of its functions left out takes this part of the memory. */
const lazyShare = 0.4;
const minLazyBytes = 8_000;

/** How much memory a file takes to read, in bytes of dense code. */
export const costOf = (path: string, bytes: number): number =>
  languageOf(path) === 'javascript' && bytes >= minLazyBytes ? Math.ceil(bytes * lazyShare) : bytes;
