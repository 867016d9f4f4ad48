const newline = 0x0a;

/** A line over the limit: only its first and last characters were buffered. */
export interface OverlongLine {
  readonly head: string;
  readonly tail: string;
}

/** Splits a byte stream into lines. */
interface LineReader {
  /** Returns the lines completed by this chunk, without line terminators. */
  push(piece: Buffer): readonly (Buffer | OverlongLine)[];
  /** Returns the bytes after the last newline. */
  end(): Buffer | undefined;
}

/** Line reader that buffers at most `maxLineBytes` of an unfinished line, so that a peer cannot exhaust memory. */
export function lineReader(maxLineBytes: number): LineReader {
  let parts: Buffer[] = [];
  let bufferedBytes = 0;
  let skipped: { readonly head: string; tail: string } | undefined;

  const take = (tail: Buffer): Buffer => {
    const line = parts.length === 0 ? tail : Buffer.concat([...parts, tail]);
    parts = [];
    bufferedBytes = 0;
    return line.length > 0 && line[line.length - 1] === 0x0d ? line.subarray(0, -1) : line;
  };

  return {
    push(piece) {
      const lines: (Buffer | OverlongLine)[] = [];
      let start = 0;
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, start)) {
        if (skipped) {
          lines.push({
            head: skipped.head,
            tail: lastChars(skipped.tail + headAndTail(piece.subarray(start, at)).tail),
          });
          skipped = undefined;
        } else if (bufferedBytes + at - start > maxLineBytes) {
          lines.push(headAndTail(take(piece.subarray(start, at))));
        } else {
          const line = take(piece.subarray(start, at));
          if (line.length > 0) lines.push(line);
        }
        start = at + 1;
      }
      if (start === piece.length) return lines;
      const rest = piece.subarray(start);
      if (skipped) skipped.tail = lastChars(skipped.tail + headAndTail(rest).tail);
      else if (bufferedBytes + rest.length > maxLineBytes) skipped = headAndTail(take(rest));
      else {
        bufferedBytes += rest.length;
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

const edgeLength = 256;
const lastChars = (text: string): string => text.slice(-edgeLength);

/** First and last bytes of a line, one Latin-1 character per byte. */
export const headAndTail = (line: Buffer): { readonly head: string; tail: string } => ({
  head: line.toString('latin1', 0, edgeLength),
  tail: line.toString('latin1', Math.max(0, line.length - edgeLength)),
});
