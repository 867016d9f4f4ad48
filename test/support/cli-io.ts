import type { Io } from '../../src/cli/io.js';

/** What a verb printed, and the io that it printed to. */
export interface HeardIo {
  readonly io: Pick<Io, 'out' | 'err' | 'isTTY' | 'showsProgress' | 'signal'>;
  readonly said: { out: string; err: string };
}

/** An io that keeps what is said; nothing of it is a terminal unless the test wants it so. */
export function heardIo(other: Partial<Pick<Io, 'isTTY' | 'showsProgress' | 'signal'>> = {}): HeardIo {
  const said = { out: '', err: '' };
  return {
    said,
    io: {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      isTTY: false,
      showsProgress: false,
      signal: new AbortController().signal,
      ...other,
    },
  };
}
