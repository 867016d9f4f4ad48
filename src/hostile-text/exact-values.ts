import { literalSearch } from './literal-search.js';

/** In characters; see `exactForms`. */
const SHORTEST = 6;

/**
 * Forms in which fixed values may occur in a text: plain, URL-encoded, JSON-escaped and base64. Values under six characters are
 * omitted: redacting every `root` would destroy the text and hide nothing.
 */
export const exactForms = (values: readonly string[]): ReadonlySet<string> =>
  new Set(values.filter((value) => value.length >= SHORTEST).flatMap(formsOf));

/** Reports every occurrence of one of the values, in no particular order; occurrences may overlap. */
type ExactSearch = (text: string, found: (from: number, to: number) => void) => void;

/** A search for fixed values in every form; undefined when no value is left. */
export function exactValues(values: readonly string[]): ExactSearch | undefined {
  const forms = exactForms(values);
  if (forms.size === 0) return undefined;
  const search = literalSearch([...forms]);
  return (text, found) =>
    search(text, (at, form) => {
      found(at, at + form.length);
      // No occurrence is skipped: values may overlap, and both must be redacted.
      return at;
    });
}

/** Base64 of a value inside a longer text depends on where it begins; each alignment has a core that does not. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const cores = [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The first characters depend on the bytes before the value, so they are cut off.
    const core = encoded.slice(shift === 0 ? 0 : shift + 1).replace(/=+$/, '');
    const stable = (shift + bytes.length) % 3 === 0 ? core : core.slice(0, -1);
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
  // Cores under eight characters would also match ordinary text.
  return [value, safeUri(value), JSON.stringify(value).slice(1, -1), ...cores.filter((core) => core.length >= 8)];
}

function safeUri(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // A lone surrogate has no URL form.
  }
}
