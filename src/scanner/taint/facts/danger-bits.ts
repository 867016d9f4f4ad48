/** Vulnerability classes a tainted value can cause, one bit each: a sanitizer or guard clears several at once by or-ing bits into `Taint.safe`. */
export const danger = {
  command: 1 << 0,
  code: 1 << 1,
  /** Path traversal by `..`. */
  pathUp: 1 << 2,
  /** Path traversal by an absolute path. */
  pathAbsolute: 1 << 3,
  url: 1 << 4,
  sql: 1 << 5,
  deserialise: 1 << 6,
  template: 1 << 7,
  query: 1 << 8,
  module: 1 << 9,
  archive: 1 << 10,
  description: 1 << 11,
  /** Argument injection: a leading dash turns a value into an option. */
  argument: 1 << 12,
  /** The caller names an environment variable. */
  environment: 1 << 25,
} as const;

/** Partial proofs about a string that rule out no danger alone; stored in the same bit set, so a join drops them like any other proof. */
export const proofBit = {
  /** Contained in a folder, except where a server setting disables the check. */
  containedByConfig: 1 << 13,
  /** Shares a string prefix with the folder, which still lets siblings through: `/srv/data-old` for `/srv/data`. */
  prefixMatched: 1 << 16,
  /** Contained in a folder lexically; a symbolic link may still lead out. */
  lexicallyContained: 1 << 17,
  /** Contained in a folder after symbolic links were resolved. */
  symlinksResolved: 1 << 18,
  /** Quote characters that cannot close a quoted string: doubled, escaped or removed. */
  single: 1 << 19,
  double: 1 << 20,
  backtick: 1 << 21,
  /** `$` and back-tick start no expansion in a shell. */
  dollar: 1 << 22,
  /** A backslash escapes nothing. */
  backslash: 1 << 23,
  /** Tested for a leading dash: some options are rejected by name, others pass. */
  dashChecked: 1 << 24,
} as const;

/** Both forms of path traversal. */
export const anyPath = danger.pathUp | danger.pathAbsolute;
/** All bits: the value comes from a fixed set or is not a string, so it cannot cause harm at any sink. */
export const allSafe = (1 << 26) - 1;
