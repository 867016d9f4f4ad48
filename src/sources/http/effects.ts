import type { Effects } from '../../core/tool.js';
import type { Declaration } from './declarations.js';

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const safeMethods = new Set(['GET', 'HEAD']);
/** Methods whose repetition has no further effect (section 9.2.2). */
const idempotentMethods = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
/** Methods that replace or remove what exists. */
const destructiveMethods = new Set(['PUT', 'PATCH', 'DELETE']);

/** Effects of a call: as declared, else by HTTP method; for functions the worst case is assumed. */
export function effectsOf(tool: Declaration): Effects {
  const method = tool.kind === 'endpoint' ? tool.method : undefined;
  const isReadOnly = tool.readOnly ?? (method !== undefined && safeMethods.has(method));
  return {
    reads: true,
    writes: !isReadOnly,
    destroys: !isReadOnly && (tool.destructive ?? (method === undefined || destructiveMethods.has(method))),
    idempotent: tool.idempotent ?? (isReadOnly || (method !== undefined && idempotentMethods.has(method))),
    openWorld: true,
    labels: ['network', 'egress', ...(tool.labels ?? [])],
  };
}

/** Whether a request may be retried: it is idempotent, or an Idempotency-Key lets the service deduplicate it. */
export const isRepeatable = (tool: Declaration): boolean => effectsOf(tool).idempotent || tool.idempotencyKey === true;
