import { memoizeByName } from './qualified-names.js';

/** Stands for the whole argument object: reading a field of it yields the parameter of that name. */
export const anyParam = '*';

const contentMark = '\u0000read ';

/** Pseudo parameter for the content of a file, which is tracked like a tainted parameter to find exfiltration. */
export const contentName = (path: string): string => `${contentMark}${path}`;

/** Path of such a pseudo parameter; undefined for a real one. */
export const contentPath = (param: string): string | undefined =>
  param.startsWith(contentMark) ? param.slice(contentMark.length) : undefined;

/** Whether the name announces a query: a tool that takes `sql` on purpose is a capability, not a bug. */
export const isStatementName = memoizeByName((param) => /(?:^|[._-])(?:sql|query|statement|stmt)$/i.test(param));

/**
 * Everything the analysis reads from parameter names, as part of the summary key. A rule that depends on a name in
 * another way must be added here, or a summary computed for one tool is reused for another where it does not hold.
 */
export function relevantNames(params: readonly string[]): string {
  if (params.includes(anyParam)) return params.join('\u0001');
  return params.map((param) => (contentPath(param) === undefined ? (isStatementName(param) ? 's' : '') : param)).join();
}

/** Name of the context of `superRefine`, whose `addIssue` ends a path like a thrown error. */
export const issuesName = '\u0000issues';
