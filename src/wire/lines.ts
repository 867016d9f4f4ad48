const newline = 0x0a;

/** A line past the limit: all of it was skipped but how it begins and how it ends. */
export interface Overlong {
  readonly begins: string;
  readonly ends: string;
}

/** Cuts a byte stream into lines. */
export interface LineReader {
  /** The lines completed by this piece, without their line ends. */
  push(piece: Buffer): readonly (Buffer | Overlong)[];
  /** What came after the last newline. */
  end(): Buffer | undefined;
}

/** A reader that never holds more than `maxLineBytes` of an unfinished line. */
export function lineReader(maxLineBytes: number): LineReader {
  let parts: Buffer[] = [];
  let held = 0;
  let skipped: { readonly begins: string; ends: string } | undefined;

  const take = (tail: Buffer): Buffer => {
    const line = parts.length === 0 ? tail : Buffer.concat([...parts, tail]);
    parts = [];
    held = 0;
    return line.length > 0 && line[line.length - 1] === 0x0d ? line.subarray(0, -1) : line;
  };

  return {
    push(piece) {
      const lines: (Buffer | Overlong)[] = [];
      let start = 0;
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, start)) {
        if (skipped) {
          lines.push({ begins: skipped.begins, ends: endOf(skipped.ends + edgesOf(piece.subarray(start, at)).ends) });
          skipped = undefined;
        } else if (held + at - start > maxLineBytes) {
          lines.push(edgesOf(take(piece.subarray(start, at))));
        } else {
          const line = take(piece.subarray(start, at));
          if (line.length > 0) lines.push(line);
        }
        start = at + 1;
      }
      if (start === piece.length) return lines;
      const rest = piece.subarray(start);
      if (skipped) skipped.ends = endOf(skipped.ends + edgesOf(rest).ends);
      else if (held + rest.length > maxLineBytes) skipped = edgesOf(take(rest));
      else {
        held += rest.length;
        parts.push(rest);
      }
      return lines;
    },
    end() {
      const rest = take(Buffer.alloc(0));
      return rest.length > 0 ? rest : undefined;
    },
  };
}

const edge = 256;
const endOf = (text: string): string => text.slice(-edge);

/** How a line begins and ends, each byte as one character. */
export const edgesOf = (line: Buffer): { readonly begins: string; ends: string } => ({
  begins: line.toString('latin1', 0, edge),
  ends: line.toString('latin1', Math.max(0, line.length - edge)),
});
