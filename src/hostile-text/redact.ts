import { exactForms } from './exact-values.js';
import { secretRedactor } from './secrets.js';

/** Placeholder of a secret. */
export const REDACTED = '[redacted]';

/** Hides secrets in text and in JSON-like values. */
export interface Redactor {
  /** The text with every known secret value replaced. */
  text(value: string): string;
  /** A copy with secret values replaced, and everything under a key that names a secret. */
  value(value: unknown): unknown;
}

/** Matches the last word of a key only: `token_count` is a number, `access_token` a secret. */
const SECRET_KEY =
  /(?:^|_)(?:pass(?:word|wd|phrase)?|pwd|secrets?|tokens?|api_?keys?|access_?keys?|private_?keys?|signing_?keys?|authorization|cookies?|credentials?|bearer|jwt|client_?secret)$/;

/** Cached per key name, since every log line asks; bounded, since callers can invent names. */
const MAX_CACHED_KEYS = 2_000;
const secretKeyCache = new Map<string, boolean>();

/** Whether a property of this name holds a secret, in any of the usual spellings. */
export function isSecretKey(key: string): boolean {
  let answer = secretKeyCache.get(key);
  if (answer === undefined) {
    answer = SECRET_KEY.test(
      key
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
        .replaceAll('-', '_')
        .toLowerCase(),
    );
    // Cleared as a whole: an LRU would cost more than computing the few live keys again.
    if (secretKeyCache.size >= MAX_CACHED_KEYS) secretKeyCache.clear();
    // Long keys are chosen by callers and rarely repeat.
    if (key.length <= 64) secretKeyCache.set(key, answer);
  }
  return answer;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isGeneratedId = (text: string): boolean => text.length === 36 && UUID.test(text);

/** Deeper values only serve to overflow the stack of a logger. */
const MAX_DEPTH = 12;

/** A redactor for the given secret values and for every known secret format. */
export function redactor(secrets: Iterable<string> = []): Redactor {
  const values = [...secrets];
  const redact = secretRedactor({ values });
  // Every log line has generated ids. No known format begins with hexadecimal digits and hyphens alone, so only a configured
  // value of such characters could occur in one.
  const skipsIds = ![...exactForms(values)].some((form) => /^[0-9a-f-]+$/.test(form));
  const text = (value: string): string => (skipsIds && isGeneratedId(value) ? value : redact(value).text);

  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return '[too deep]';
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1));
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      // Keys can hold secrets too, for example a map of sessions by token.
      const name = text(key);
      const shown = isSecretKey(key) && revealsSecret(item) ? REDACTED : walk(item, depth + 1);
      // Assignment would let a key named __proto__ change the prototype of the copy (prototype pollution).
      if (name === '__proto__')
        Object.defineProperty(copy, name, { value: shown, enumerable: true, configurable: true, writable: true });
      else copy[name] = shown;
    }
    return copy;
  };
  return { text, value: (value) => walk(value, 0) };
}

/** Whether a value would reveal a secret; that one is set or unset is not secret. */
const revealsSecret = (value: unknown): boolean => value !== undefined && value !== null && typeof value !== 'boolean';
