import { sha256 } from '../../../lib/hash.js';
import { toNamespacedName } from '../../../registry/naming.js';

/** What a tool name is derived from. */
interface NameSource {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  /** Name set by the overlay or the document; takes precedence. */
  readonly chosen?: string;
}

/** Names of the catalog tools of a large document. */
const reservedNames: readonly string[] = ['search', 'describe', 'call'];

/**
 * Assigns tool names: at most 64 characters, unique ignoring case, and independent of the order of operations.
 * Operations that would share a name all get a hash of their method and path.
 */
export function toolNames<T extends NameSource>(
  operations: readonly T[],
  source: string | undefined,
): ReadonlyMap<T, string> {
  const maxLength = Math.max(16, 64 - (source === undefined ? 0 : source.length + 2));
  const candidates = operations.map((operation) => ({ operation, name: readableName(operation, maxLength) }));
  const counts = new Map<string, number>();
  for (const { name } of candidates) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  for (const name of reservedNames) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    candidates.map(({ operation, name }) => {
      const isShared = (counts.get(name.toLowerCase()) ?? 0) > 1;
      return [
        operation,
        toNamespacedName(
          source,
          isShared ? appendHash(name, `${operation.method} ${operation.path}`, maxLength) : name,
        ),
      ];
    }),
  );
}

function readableName({ chosen, operationId, method, path }: NameSource, maxLength: number): string {
  for (const raw of [chosen, operationId]) {
    const name = raw === undefined ? '' : toSafeName(raw);
    if (raw !== undefined && name !== '') return name.length <= maxLength ? name : appendHash(name, raw, maxLength);
  }
  const derived = toSafeName(`${method.toLowerCase()}${path.replaceAll(/[{}]/g, '')}`);
  return derived.length <= maxLength ? derived : appendHash(derived, `${method} ${path}`, maxLength);
}

const toSafeName = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '');

const appendHash = (name: string, identity: string, maxLength: number): string =>
  `${name.slice(0, maxLength - 9)}_${sha256(identity).slice(0, 8)}`;
