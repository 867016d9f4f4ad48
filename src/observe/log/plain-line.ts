import { isSecretKey } from '../../hostile-text/redact.js';

/** Keys of ordinary fields; callers may invent others, which take the general path. */
const PLAIN_KEY = /^[a-z][a-z_]{0,39}$/;
/** Text that JSON, terminals and log viewers show as it is. */
const PLAIN_TEXT = /^[\w .:,;@+*()[\]{}=<>!?/#&|'-]{0,256}$/;
/** Fields with few different values: their redaction is remembered. Ids differ in every call and would evict the others. */
const RECURRING = new Set(['tool', 'principal', 'via', 'peer', 'source', 'code', 'from', 'to']);
const MAX_REMEMBERED = 1_000;
const MAX_KEYS = 500;

interface PlainLineOptions {
  /** Redacts secrets in a text; returns the same string where there is none. */
  readonly redact: (text: string) => string;
  readonly isReserved: (key: string) => boolean;
}

/**
 * Serialises the fields of a log line where each one is plain: a known kind of key, and a number, boolean, null or short text
 * without a secret. Returns undefined for all others, which take the general path; both write the same bytes.
 */
export function plainFields({ redact, isReserved }: PlainLineOptions): (fields: object) => string | undefined {
  const keys = new Map<string, string>();
  const remembered = new Map<string, string>();

  const keyText = (key: string): string => {
    let text = keys.get(key);
    if (text === undefined) {
      text = PLAIN_KEY.test(key) && !isReserved(key) && !isSecretKey(key) && redact(key) === key ? `,"${key}":` : '';
      if (keys.size >= MAX_KEYS) keys.clear();
      keys.set(key, text);
    }
    return text;
  };
  // A call and its correlation usually share one id, and it is written twice in a line.
  let last = '';
  let lastQuoted = '""';
  const quote = (text: string): string => {
    if (text !== last) {
      last = text;
      lastQuoted = PLAIN_TEXT.test(text) && redact(text) === text ? `"${text}"` : '';
    }
    return lastQuoted;
  };
  const textOf = (key: string, text: string): string => {
    if (!RECURRING.has(key)) return quote(text);
    let known = remembered.get(text);
    if (known === undefined) {
      known = quote(text);
      if (remembered.size >= MAX_REMEMBERED) remembered.clear();
      remembered.set(text, known);
    }
    return known;
  };

  return (fields) => {
    let out = '';
    for (const key in fields) {
      if (!Object.hasOwn(fields, key)) return undefined;
      const value: unknown = fields[key as keyof typeof fields]; // a key that `in` has just named
      if (value === undefined) continue;
      const name = keyText(key);
      if (name === '') return undefined;
      if (typeof value === 'string') {
        const text = textOf(key, value);
        if (text === '') return undefined;
        out += name + text;
      } else if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
        out += name + String(value);
      else return undefined;
    }
    return out;
  };
}
