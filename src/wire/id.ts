/** Request id; a bigint if a double would round it, so that it is echoed without loss. */
export type Id = string | number | bigint;

const maxDigits = 64;
const maxIdLength = 1_024;

/** Serialises an id as JSON. */
export const encodeId = (id: Id): string => (typeof id === 'string' ? JSON.stringify(id) : String(id));

/** Validates an id; calls `source` for the original text only if JSON.parse may have rounded the number. */
export function readId(value: unknown, source: () => string | undefined): Id | undefined {
  if (typeof value === 'string') return value.length <= maxIdLength ? value : undefined;
  if (typeof value !== 'number') return undefined;
  if (Number.isSafeInteger(value)) return value;
  const text = source();
  return text !== undefined && text.length <= maxDigits && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

const skipString = (json: string, at: number): number => {
  let end = at + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
};

/** Source text of a scalar member of the outermost object of valid JSON; the last duplicate wins, as in JSON.parse. */
export function memberText(json: string, name: string): string | undefined {
  let depth = 0;
  let found: string | undefined;
  for (let at = 0; at < json.length;) {
    const char = json[at];
    if (char === '"') {
      const end = skipString(json, at);
      const colon = depth === 1 ? /^\s*:\s*/.exec(json.slice(end, end + 64)) : null;
      if (colon && JSON.parse(json.slice(at, end)) === name) {
        const scalar = /^[-+.\deE]+/.exec(json.slice(end + colon[0].length, end + colon[0].length + 2 * maxDigits));
        found = scalar?.[0];
      }
      at = colon ? end + colon[0].length : end;
      // Skip the string value of the member, so that it is never mistaken for a key.
      if (colon && json[at] === '"') at = skipString(json, at);
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    at += 1;
  }
  return found;
}
