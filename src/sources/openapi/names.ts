import { sha256 } from '../../lib/hash.js';
import { namespaced } from '../../registry/naming.js';

/** What a name is made from. */
export interface Named {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  /** Chosen by the operator or the document, before anything derived. */
  readonly chosen?: string;
}

/** Taken by the tools that stand for a large document. */
export const reservedNames: readonly string[] = ['search', 'describe', 'call'];

/**
 * A name for each operation: at most 64 characters, unique whatever their case, and the same in whatever order the document
 * lists them. Operations that would share a name all carry a hash of their method and path.
 */
export function toolNames<T extends Named>(
  operations: readonly T[],
  source: string | undefined,
): ReadonlyMap<T, string> {
  const room = Math.max(16, 64 - (source === undefined ? 0 : source.length + 2));
  const wanted = operations.map((operation) => ({ operation, name: readable(operation, room) }));
  const counts = new Map<string, number>();
  for (const { name } of wanted) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  for (const name of reservedNames) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    wanted.map(({ operation, name }) => {
      const isShared = (counts.get(name.toLowerCase()) ?? 0) > 1;
      return [
        operation,
        namespaced(source, isShared ? withHash(name, `${operation.method} ${operation.path}`, room) : name),
      ];
    }),
  );
}

function readable({ chosen, operationId, method, path }: Named, room: number): string {
  for (const raw of [chosen, operationId]) {
    const name = raw === undefined ? '' : safe(raw);
    if (raw !== undefined && name !== '') return name.length <= room ? name : withHash(name, raw, room);
  }
  const derived = safe(`${method.toLowerCase()}${path.replaceAll(/[{}]/g, '')}`);
  return derived.length <= room ? derived : withHash(derived, `${method} ${path}`, room);
}

const safe = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '');

const withHash = (name: string, identity: string, room: number): string =>
  `${name.slice(0, room - 9)}_${sha256(identity).slice(0, 8)}`;
