/** One problem of a configuration and its position; never contains the value, which may be a secret. */
export interface Problem {
  /** The file, or the name of the environment variable or flag. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The key, such as `server.port`; '' for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** A notice for the operator that does not prevent the start. */
export type Note = Clamp | Remark;

/** A number that was out of range, and the value used instead. */
export interface Clamp {
  readonly event: 'config.clamped';
  readonly param: string;
  readonly given: number;
  readonly used: number;
  readonly range: readonly [number, number];
}

export interface Remark {
  readonly event: 'config.remark';
  readonly param: string;
  readonly message: string;
}

/** Joins a path with dots. */
export const dotted = (path: readonly PropertyKey[]): string => path.map((part) => String(part)).join('.');

/** Formats a problem in one line: where, what is wrong, and what to do. */
export function problemLine(problem: Problem): string {
  const position = problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`;
  const path = problem.path === '' ? '' : ` ${problem.path}`;
  const hint = problem.hint === undefined ? '' : ` (${problem.hint})`;
  return printable(`${problem.file}${position}:${path} ${problem.message}${hint}`);
}

/** Formats a note in one line. */
export const noteLine = (note: Note): string =>
  printable(
    note.event === 'config.clamped'
      ? `${note.param}: ${note.given} is out of range ${note.range[0]} to ${note.range[1]}; using ${note.used}`
      : `${note.param}: ${note.message}`,
  );

// Keys come from a file that may be untrusted: an escape sequence could rewrite the terminal (terminal injection).
const printable = (line: string): string =>
  line.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
