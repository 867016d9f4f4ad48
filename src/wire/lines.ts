const newline = 0x0a;

/** Cuts a byte stream into lines. */
export interface LineReader {
  /** The lines completed by this piece, without their line ends; `'overlong'` stands for a line past the limit, whose bytes are skipped. */
  push(piece: Buffer): readonly (Buffer | 'overlong')[];
  /** What came after the last newline. */
  end(): Buffer | undefined;
}

/** A reader that never holds more than `maxLineBytes` of an unfinished line. */
export function lineReader(maxLineBytes: number): LineReader {
  let parts: Buffer[] = [];
  let held = 0;
  let skipping = false;

  const take = (tail: Buffer): Buffer => {
    const line = parts.length === 0 ? tail : Buffer.concat([...parts, tail]);
    parts = [];
    held = 0;
    return line.length > 0 && line[line.length - 1] === 0x0d ? line.subarray(0, -1) : line;
  };

  return {
    push(piece) {
      const lines: (Buffer | 'overlong')[] = [];
      let start = 0;
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, start)) {
        if (skipping) {
          skipping = false;
          lines.push('overlong');
        } else if (held + at - start > maxLineBytes) {
          take(piece.subarray(start, start));
          lines.push('overlong');
        } else {
          const line = take(piece.subarray(start, at));
          if (line.length > 0) lines.push(line);
        }
        start = at + 1;
      }
      if (skipping || start === piece.length) return lines;
      const rest = piece.subarray(start);
      held += rest.length;
      if (held > maxLineBytes) {
        parts = [];
        held = 0;
        skipping = true;
      } else parts.push(rest);
      return lines;
    },
    end() {
      const rest = take(Buffer.alloc(0));
      return rest.length > 0 ? rest : undefined;
    },
  };
}
