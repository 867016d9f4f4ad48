/** Syntax that JavaScript accepts and Python's `re`, Go or Rust reject or interpret differently. */
const notPortable = /\\[pPcukK]|\(\?<|\[\^?\]|\\0\d|\(\?[^:=!]/;

/** Whether clients in other languages can compile a pattern; `u` is how JSON Schema validators in JavaScript compile it. */
export function isPortablePattern(source: string): boolean {
  // `\uXXXX` is common to all of them, in contrast to `\u{…}`.
  if (notPortable.test(source.replaceAll(/\\u[0-9A-Fa-f]{4}/g, 'x').replaceAll('\\\\', ''))) return false;
  try {
    return new RegExp(source, 'u').unicode;
  } catch {
    return false;
  }
}
