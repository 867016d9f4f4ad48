import type { Effects } from '../../../core/tool.js';
import type { Operation } from '../document/model.js';
import type { Override } from './overrides.js';

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PUT', 'DELETE']);

/** Derives effects from the HTTP method; overrides take precedence. */
export function effectsOf({ method, tags, operationId }: Operation, override: Override): Effects {
  const isReadOnly = override.readOnly ?? readMethods.has(method);
  return {
    reads: true,
    writes: !isReadOnly,
    // POST only adds; methods that replace, change or remove data, and unknown methods, are destructive.
    destroys:
      !isReadOnly &&
      (override.destructive ??
        (method === 'DELETE' || method === 'PUT' || method === 'PATCH' || !['POST', 'COPY', 'LOCK'].includes(method))),
    idempotent: override.idempotent ?? (isReadOnly || idempotentMethods.has(method)),
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
