import type { Operation } from '../document/model.js';

/** Which operations become tools; an empty list matches everything, and `exclude` takes precedence. */
export interface OperationFilter {
  readonly include?: Selector;
  readonly exclude?: Selector;
}

/** Selects operations by tag, path (with `*` as a wildcard), method or operationId. */
interface Selector {
  readonly tags?: readonly string[];
  readonly paths?: readonly string[];
  readonly methods?: readonly string[];
  readonly operationIds?: readonly string[];
}

/** Whether an operation passes the filter: every given list of `include` must match, and no list of `exclude`. */
export function isSelected(operation: Operation, { include = {}, exclude = {} }: OperationFilter): boolean {
  return (
    evaluateSelector(operation, include).every((passes) => passes) &&
    !evaluateSelector(operation, exclude).some((passes) => passes)
  );
}

function evaluateSelector({ tags, path, method, operationId }: Operation, selector: Selector): readonly boolean[] {
  const results: boolean[] = [];
  if (selector.tags?.length) results.push(selector.tags.some((tag) => tags.includes(tag)));
  if (selector.paths?.length) results.push(selector.paths.some((pattern) => matchesWildcard(pattern, path)));
  if (selector.methods?.length) results.push(selector.methods.some((name) => name.toUpperCase() === method));
  if (selector.operationIds?.length)
    results.push(
      operationId !== undefined && selector.operationIds.some((pattern) => matchesWildcard(pattern, operationId)),
    );
  return results;
}

/** Matches `*` wildcards in linear time, without a regular expression (ReDoS). */
function matchesWildcard(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const last = rest.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest.slice(0, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
