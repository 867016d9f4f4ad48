import type { Effects } from '../../../core/tool.js';
import type { RawObject } from '../document/fields.js';
import type { Operation } from '../document/model.js';
import type { Override } from './overrides.js';

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PUT', 'DELETE']);

/** Derives effects from the HTTP method; overrides take precedence. */
export function effectsOf({ method, tags, operationId, extensions }: Operation, override: Override): Effects {
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
      ...extensionLabels(extensions),
      ...(override.labels ?? []),
    ],
  };
}

const maxExtensionLabels = 20;

/** Labels for rules from extensions with a plain value: `x-internal: true` is `x-internal`, `x-risk: high` is `x-risk:high`. */
const extensionLabels = (extensions: RawObject): readonly string[] =>
  Object.entries(extensions)
    .flatMap(([name, value]) => {
      if (name === 'x-mcp' || name.length > 60) return [];
      if (value === true) return [name];
      return typeof value === 'string' || typeof value === 'number' ? [`${name}:${String(value).slice(0, 60)}`] : [];
    })
    .slice(0, maxExtensionLabels);
