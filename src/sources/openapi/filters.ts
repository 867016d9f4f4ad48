import type { Operation } from './model.js';

/** Which operations become tools; an empty list lets everything through, and `exclude` wins. */
export interface OperationFilter {
  readonly include?: Selector;
  readonly exclude?: Selector;
}

/** Operations by tag, path (`*` stands for anything), method or operationId. */
export interface Selector {
  readonly tags?: readonly string[];
  readonly paths?: readonly string[];
  readonly methods?: readonly string[];
  readonly operationIds?: readonly string[];
}

/** Is the operation wanted? Kinds of `include` must all agree; one kind of `exclude` is enough. */
export function wanted(operation: Operation, { include = {}, exclude = {} }: OperationFilter): boolean {
  return tests(operation, include).every((passes) => passes) && !tests(operation, exclude).some((passes) => passes);
}

function tests({ tags, path, method, operationId }: Operation, selector: Selector): readonly boolean[] {
  const made: boolean[] = [];
  if (selector.tags?.length) made.push(selector.tags.some((tag) => tags.includes(tag)));
  if (selector.paths?.length) made.push(selector.paths.some((pattern) => matches(pattern, path)));
  if (selector.methods?.length) made.push(selector.methods.some((each) => each.toUpperCase() === method));
  if (selector.operationIds?.length)
    made.push(operationId !== undefined && selector.operationIds.some((pattern) => matches(pattern, operationId)));
  return made;
}

/** `*` matches anything, by looking for the pieces between the stars one after the other. */
function matches(pattern: string, text: string): boolean {
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
