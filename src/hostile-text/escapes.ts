const ESC = 0x1b;
const BEL = 0x07;
const ST = 0x9c;

/** What ends or aborts a control string: BEL, CAN, SUB, ESC (which begins ST or a new sequence) and the one-byte ST. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;
const STRING_END_ON_LINE = /[\x07\x18\x1a\x1b\x9c\r\n]/g;
// Patterns with the flag `g` keep `lastIndex`: each search sets it, none relies on the previous one.
const LINE_END = /[\r\n]/g;

const within = (unit: number, low: number, high: number): boolean => unit >= low && unit <= high;

const findFrom = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
};

/** `[`: parameters, intermediates, one final byte; whatever breaks that order ends the sequence without being part of it. */
function controlSequenceEnd(text: string, from: number): number {
  let at = from;
  while (within(text.charCodeAt(at), 0x30, 0x3f)) at++;
  while (within(text.charCodeAt(at), 0x20, 0x2f)) at++;
  return within(text.charCodeAt(at), 0x40, 0x7e) ? at + 1 : at;
}

/** OSC, DCS, SOS, PM and APC carry text up to a terminator. */
const isStringIntroducer = (unit: number): boolean =>
  unit === 0x5d || unit === 0x50 || unit === 0x58 || unit === 0x5e || unit === 0x5f;

/** A reader of terminal escapes in one text; it remembers a failed search, so that a flood of openings stays linear. */
export function escapeReader(text: string) {
  let unterminatedFrom = Infinity;
  let lineSearch = { from: 0, end: -1 };

  // BEL and ST belong to the sequence; any other terminator is no part of it.
  const afterTerminator = (at: number): number => {
    const unit = text.charCodeAt(at);
    if (unit === BEL || unit === ST) return at + 1;
    if (unit === ESC && text.charCodeAt(at + 1) === 0x5c) return at + 2;
    return at;
  };

  const controlStringEnd = (from: number): number => {
    const end = from >= unterminatedFrom ? -1 : findFrom(STRING_END, text, from);
    if (end >= 0) return afterTerminator(end);
    unterminatedFrom = Math.min(unterminatedFrom, from);
    // A terminal would swallow the rest of the stream; one line is enough to hide the payload and keeps the data below it.
    const line = findFrom(LINE_END, text, from);
    return line < 0 ? text.length : line;
  };

  const endOnLine = (from: number): number => {
    // Cached for the line: each C1 introducer on it would otherwise search to its end again (quadratic).
    if (from < lineSearch.from || from > lineSearch.end) {
      const end = findFrom(STRING_END_ON_LINE, text, from);
      lineSearch = { from, end: end < 0 ? text.length : end };
    }
    return lineSearch.end;
  };

  return {
    /** Where the escape sequence that begins with ESC at `at` ends. */
    escapeEnd(at: number): number {
      const kind = text.charCodeAt(at + 1);
      if (kind === 0x5b) return controlSequenceEnd(text, at + 2);
      if (isStringIntroducer(kind)) return controlStringEnd(at + 2);
      // Two-byte escapes, such as charset selection: intermediates and one final byte.
      let end = at + 1;
      while (within(text.charCodeAt(end), 0x20, 0x2f)) end++;
      return within(text.charCodeAt(end), 0x30, 0x7e) ? end + 1 : end;
    },

    /**
     * Where the one-byte (C1) sequence at `at` ends, or `at` when it is only a stray control. UTF-8 read as Latin-1 is full
     * of stray C1 units, so these must be whole to take text with them: parameters for CSI, a terminator on the line for strings.
     */
    c1End(at: number): number {
      const unit = text.charCodeAt(at);
      if (unit === 0x9b) {
        const end = controlSequenceEnd(text, at + 1);
        return end > at + 2 ? end : at;
      }
      if (!isStringIntroducer(unit - 0x40)) return at;
      const end = endOnLine(at + 1);
      const after = afterTerminator(end);
      return after > end ? after : at;
    },
  };
}
