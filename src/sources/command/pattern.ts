const compiled = new Map<string, RegExp>();

/** The pattern as it is applied: to the whole value, never to a part of it. */
export function anchored(source: string): RegExp {
  // Patterns come from manifests, so there are as many as an operator wrote.
  const known = compiled.get(source) ?? new RegExp(`^(?:${source})$`, 'u');
  compiled.set(source, known);
  return known;
}
