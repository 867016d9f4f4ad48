import { exactForms } from './exact-values.js';
import { literalSearch } from './literal-search.js';
import { privateKeyReader } from './private-keys.js';
import { isPlaceholder, SECRET_FORMATS, type SecretFormat } from './secret-formats.js';

/** How often a kind of secret was redacted; never the value. */
interface SecretFinding {
  readonly kind: string;
  readonly count: number;
}

/** A text with its secrets replaced by `[redacted:kind]`; the very same string when it has none. */
interface Redacted {
  readonly text: string;
  readonly findings: readonly SecretFinding[];
}

/** Redacts known formats and the configured values. */
export type SecretRedactor = (text: string) => Redacted;

// Frozen and shared: most texts have no secret, and every result passes here.
const NOTHING: readonly SecretFinding[] = Object.freeze([]);
const PRIVATE_KEY_START = '-----BEGIN ';

/** Formats by their literal, so that only the formats of a found prefix are tried. */
const byStart = new Map<string, SecretFormat[]>();
for (const format of SECRET_FORMATS) {
  for (const start of format.starts) byStart.set(start, [...(byStart.get(start) ?? []), format]);
}
const starts: readonly string[] = [...byStart.keys(), PRIVATE_KEY_START];

interface Span {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  /** Length of the leading part that identifies the format and is not secret. */
  readonly prefixLength?: number;
}

interface RedactorOptions {
  readonly values?: readonly string[];
  /** Writes `xxXx-00` in place of `[redacted:kind]`: same length, same kinds of characters, for texts that must keep a form. */
  readonly inShape?: boolean;
}

/** Redacts known formats, and every configured value of six characters or more in plain, URL, JSON and base64 form. */
export function secretRedactor(options: RedactorOptions = {}): SecretRedactor {
  const spansIn = spanSearch(exactForms(options.values ?? []));
  return (text) => {
    const spans = spansIn(text);
    return spans.length === 0 ? { text, findings: NOTHING } : replaceSpans(text, spans, options.inShape === true);
  };
}

const knownFormats = spanSearch(new Set());

/** Redacts known formats only. */
export const redact: SecretRedactor = secretRedactor();

/** The kind of the first known secret format in the text, if any. */
export const secretKindIn = (text: string): string | undefined => knownFormats(text)[0]?.kind;

/** A secret of a known format, by its position. */
export interface FoundSecret {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** All secrets of known formats in a text; the words that identify a format by context are not part of them. */
export const secretsIn = (text: string): readonly FoundSecret[] =>
  knownFormats(text).map(({ kind, from, to }) => ({ kind, start: from, end: to }));

/** Finds known formats and the given forms of configured values, in one pass. */
function spanSearch(configured: ReadonlySet<string>): (text: string) => Span[] {
  const search = literalSearch([...starts, ...configured]);
  return (text) => {
    const spans: Span[] = [];
    // Created with the first header: most texts hold no PEM block.
    let keys: ReturnType<typeof privateKeyReader> | undefined;
    // Text covered by a format is not searched for other formats, but may contain a configured value that ends after it.
    let done = 0;
    search(text, (at, literal) => {
      if (configured.has(literal)) spans.push({ kind: 'configured', from: at, to: at + literal.length });
      if (at < done) return 0;
      if (literal === PRIVATE_KEY_START) {
        keys ??= privateKeyReader(text);
        const to = keys.endOf(at);
        if (to > at) spans.push({ kind: 'private-key', from: at, to });
        done = Math.max(done, to);
        return 0;
      }
      const span = matchSecret(text, at, literal);
      if (span) spans.push(span);
      done = Math.max(done, span?.to ?? 0);
      return 0;
    });
    return spans;
  };
}

function matchSecret(text: string, at: number, start: string): Span | undefined {
  for (const format of byStart.get(start) ?? []) {
    // `task_` ends in `sk_`: a prefix inside a word is no key.
    if (format.wordStart && at > 0 && isWord(text.charCodeAt(at - 1))) continue;
    format.pattern.lastIndex = at;
    const match = format.pattern.exec(text);
    const secret = match?.[2];
    // A placeholder does not end the search: a later format with the same prefix may still match.
    if (!match || secret === undefined || isPlaceholder(secret)) continue;
    const from = at + (match[1]?.length ?? 0);
    return { kind: format.kind, from, to: from + secret.length, ...(from === at && { prefixLength: start.length }) };
  }
  return undefined;
}

const isWord = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95;

/** Masks letters and digits; keeps the punctuation that formats consist of and replaces all other characters. */
const maskInShape = (secret: string, prefixLength: number): string =>
  secret.slice(0, prefixLength) +
  secret
    .slice(prefixLength)
    .replace(/[a-z]/g, 'x')
    .replace(/[A-Z]/g, 'X')
    .replace(/[0-9]/g, '0')
    .replace(/[^a-zA-Z0-9\s._:/+=%-]/g, 'x');

function replaceSpans(text: string, spans: Span[], keepsShape: boolean): Redacted {
  const counts = new Map<string, number>();
  const parts: string[] = [];
  let done = 0;
  // Longest first at equal starts, so that a short span does not leave the tail of a longer one readable.
  for (const { kind, from, to, prefixLength = 0 } of spans.sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= done) {
      parts.push(
        text.slice(done, from),
        keepsShape ? maskInShape(text.slice(from, to), prefixLength) : `[redacted:${kind}]`,
      );
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    } else if (keepsShape && to > done) parts.push(maskInShape(text.slice(done, to), 0));
    // A span that begins inside another but ends after it is secret too: its tail is removed with the first.
    done = Math.max(done, to);
  }
  parts.push(text.slice(done));
  return { text: parts.join(''), findings: [...counts].map(([kind, count]) => ({ kind, count })) };
}
