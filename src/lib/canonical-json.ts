/** JSON with keys in order and no spaces: equal values give equal text, whatever order they were written in. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const parts: string[] = [];
  const record = value as Readonly<Record<string, unknown>>; // an object that is neither null nor an array
  for (const key of Object.keys(record).sort()) {
    const field = record[key];
    if (field !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
  }
  return `{${parts.join(',')}}`;
}
