import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { Io } from './io.js';

/** One line per phase on stderr, each with its duration. */
export interface ProgressLines {
  begin(phase: string, what?: string): void;
  /** Ends the current phase; the text is added to its line. */
  end(result?: string): void;
}

/** On a terminal the current line counts seconds; elsewhere a line is written when its phase ends. */
export function progressLines(
  io: Pick<Io, 'err' | 'showsProgress'>,
  now: () => number = performance.now.bind(performance),
): ProgressLines {
  let current: { readonly phase: string; readonly what: string; readonly since: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const line = (result = ''): string => {
    if (current === undefined) return '';
    const seconds = ((now() - current.since) / 1000).toFixed(1);
    return `  ${current.phase.padEnd(9)} ${seconds.padStart(6)} s${current.what === '' ? '' : `  ${current.what}`}${result === '' ? '' : `  ${result}`}`;
  };
  const lines: ProgressLines = {
    begin(phase, what = '') {
      lines.end();
      current = { phase, what: escapeInvisible(what), since: now() };
      // Keeps the process alive as well, while a job in the background is waited for.
      timer = setInterval(() => io.showsProgress && io.err(`\r${line()}`), 200);
    },
    end(result) {
      clearInterval(timer);
      if (current !== undefined)
        io.err(`${io.showsProgress ? '\r' : ''}${line(result === undefined ? '' : escapeInvisible(result))}\n`);
      current = undefined;
    },
  };
  return lines;
}
