import type { Effects } from '../../core/tool.js';
import type { Operation } from './model.js';
import type { Override } from './overrides.js';

const readers = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PUT', 'DELETE']);

/** What a method means for the world, unless somebody knows better. */
export function effectsOf({ method, tags, operationId }: Operation, override: Override): Effects {
  const isReader = override.readOnly ?? readers.has(method);
  return {
    reads: true,
    writes: !isReader,
    // A method that replaces or removes destroys; POST adds, and PATCH changes what is there.
    destroys:
      !isReader &&
      (override.destructive ??
        (method === 'DELETE' || method === 'PUT' || method === 'PATCH' || !['POST', 'COPY', 'LOCK'].includes(method))),
    idempotent: override.idempotent ?? (isReader || repeatable.has(method)),
    openWorld: override.openWorld ?? true,
    labels: [
      'network',
      'egress',
      `method:${method}`,
      ...(operationId === undefined ? [] : [`operation:${operationId.slice(0, 100)}`]),
      ...tags.slice(0, 20).map((tag) => `tag:${tag.slice(0, 60)}`),
      ...(override.labels ?? []),
    ],
  };
}
