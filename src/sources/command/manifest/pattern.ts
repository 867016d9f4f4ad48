const patternCache = new Map<string, RegExp>();

/** Compiles a pattern anchored to the whole value: an unanchored one would accept `ok; rm -rf` for `ok`. */
export function anchoredPattern(source: string): RegExp {
  // Unbounded on purpose: patterns come from manifests, never from callers.
  const compiledPattern = patternCache.get(source) ?? new RegExp(`^(?:${source})$`, 'u');
  patternCache.set(source, compiledPattern);
  return compiledPattern;
}
