import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { Io } from './io.js';

/** Whether a terminal may get colours: https://no-color.org, and terminals that have none. */
export const allowsColour = (isTTY: boolean, env: NodeJS.ProcessEnv): boolean =>
  isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';

/** Below this width cut lines would show nothing useful, so they wrap instead. */
const narrowest = 40;

/** Cuts a line at the width of the terminal, with a mark; elsewhere lines stay whole. */
export function fitLine(line: string, { columns }: Pick<Io, 'columns'>): string {
  if (columns === undefined) return line;
  const width = Math.max(narrowest, columns);
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

/** Wider cells would push all other columns off the screen. */
const widestColumn = 48;

/** Rows as lines whose columns are as wide as their cells, up to a bound; the last column is cut at the width of the terminal. */
export function tableLines(rows: readonly (readonly string[])[], io: Pick<Io, 'columns'>): readonly string[] {
  // Escaped before measuring, so that the widths are those of the text that is printed.
  const shown = rows.map((row) => row.map(escapeInvisible));
  const widths = shown.reduce<readonly number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, Math.min(widestColumn, cell.length))),
    [],
  );
  return shown.map((row) =>
    fitLine(
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
      io,
    ),
  );
}
