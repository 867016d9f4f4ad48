import { byName } from './names.js';

/** All arguments together: a part of them is the parameter of that name. */
export const anyParam = '*';

const contentMark = '\u0000read ';

/** How the content of a file is named where it is followed as a caller's text is. */
export const contentName = (path: string): string => `${contentMark}${path}`;

/** The path in such a name; undefined for a parameter. */
export const contentPath = (param: string): string | undefined =>
  param.startsWith(contentMark) ? param.slice(contentMark.length) : undefined;

/** Whether a parameter is called a statement of a query language. */
export const isStatementName = byName((param) => /(?:^|[._-])(?:sql|query|statement|stmt)$/i.test(param));

/**
 * What the analysis may ever read from the names of parameters: two calls for which this is the same differ in names
 * only. A rule that looks at a name in another way must say so here, or it is told of one tool what is true of another.
 */
export function tellingNames(params: readonly string[]): string {
  if (params.includes(anyParam)) return params.join('\u0001');
  return params.map((param) => (contentPath(param) === undefined ? (isStatementName(param) ? 's' : '') : param)).join();
}
