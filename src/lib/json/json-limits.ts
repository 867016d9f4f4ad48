/** Whether JSON text nests deeper than `max`; scans without allocating, so that a hostile body costs only its length. */
export const nestsDeeperThan = (bytes: Uint8Array, max: number): boolean =>
  bytes.length > max && countMembers(bytes, max) === undefined;

/**
 * Number of object members written in JSON text; undefined if it nests deeper than `maxDepth`. A parser merges duplicate keys, so a
 * smaller number of members in the parsed value shows that there were some.
 */
export function countMembers(bytes: Uint8Array, maxDepth: number): number | undefined {
  const length = bytes.length;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      // Brackets inside strings do not nest; a backslash escapes the quote after it.
      for (at += 1; at < length && bytes[at] !== 0x22; at += 1) if (bytes[at] === 0x5c) at += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > maxDepth) return undefined;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x3a) members += 1;
  }
  return members;
}
