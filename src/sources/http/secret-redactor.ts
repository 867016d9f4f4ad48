import { exactValues } from '../../hostile-text/exact-values.js';
import { REDACTED } from '../../hostile-text/redact.js';

/** Redacts secrets in all their usual encodings: a service that echoes its request must not leak credentials to the model. */
export function secretRedactor(secrets: readonly string[]): (text: string) => string {
  // Values are searched in their encodings (Base64, URL, JSON), in one pass over the text.
  const search = exactValues(secrets);
  if (search === undefined) return (text) => text;
  return (text) => {
    const spans: (readonly [number, number])[] = [];
    search(text, (from, to) => spans.push([from, to]));
    if (spans.length === 0) return text;
    spans.sort(([a], [b]) => a - b);
    let out = '';
    let at = 0;
    for (const [from, to] of spans) {
      // Overlapping matches become one mark.
      if (from >= at) out += text.slice(at, from) + REDACTED;
      at = Math.max(at, to);
    }
    return out + text.slice(at);
  };
}
