/** Whether JSON text nests deeper than `max`; scans without allocating, so that a hostile body costs only its length. */
export function nestsDeeperThan(bytes: Uint8Array, max: number): boolean {
  const length = bytes.length;
  if (length <= max) return false;
  let depth = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      // Brackets inside strings do not nest; a backslash escapes the quote after it.
      for (at += 1; at < length && bytes[at] !== 0x22; at += 1) if (bytes[at] === 0x5c) at += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > max) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}
