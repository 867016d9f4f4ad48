// Sticky and bounded patterns: a flood of `-----BEGIN` must not cause backtracking (ReDoS).
const HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const FOOTER_END = /-----END [A-Z0-9 ]{0,40}-----/y;
/** A line of base64, also with escaped line breaks as in JSON. */
const BODY_LINE = /(?:\s|\\[nr]){0,8}[A-Za-z0-9+/=]{16,128}/y;
/** In characters; a 16384-bit RSA key fits, a header without an end does not swallow the document. */
const MAX_KEY_LENGTH = 16_384;

/** A reader of PEM private keys in one text; it remembers where the next footer is, so that a flood of headers stays linear. */
export function privateKeyReader(text: string) {
  let footer = -1;
  const nextFooter = (from: number): number => {
    if (footer < from) {
      const found = text.indexOf('-----END ', from);
      footer = found < 0 ? text.length : found;
    }
    return footer;
  };
  return {
    /** Where the key that begins at `at` ends, or `at` when none begins there; a key without a footer ends with its last full line. */
    endOf(at: number): number {
      HEADER.lastIndex = at;
      if (!HEADER.test(text)) return at;
      const bodyFrom = HEADER.lastIndex;
      const end = nextFooter(bodyFrom);
      FOOTER_END.lastIndex = end;
      if (end - bodyFrom <= MAX_KEY_LENGTH && FOOTER_END.test(text)) return FOOTER_END.lastIndex;
      let last = bodyFrom;
      for (BODY_LINE.lastIndex = last; BODY_LINE.test(text) && BODY_LINE.lastIndex - bodyFrom <= MAX_KEY_LENGTH;)
        last = BODY_LINE.lastIndex;
      return last;
    },
  };
}
