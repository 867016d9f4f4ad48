import type { Effects } from '../../core/tool.js';
import type { Declaration } from './declarations.js';

const looks = new Set(['GET', 'HEAD']);
const repeats = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const overwrites = new Set(['PUT', 'PATCH', 'DELETE']);

/** What a call may do: as declared, else by method; of a function nothing is known, so the worst is assumed. */
export function effectsOf(tool: Declaration): Effects {
  const method = tool.kind === 'endpoint' ? tool.method : undefined;
  const isReadOnly = tool.readOnly ?? (method !== undefined && looks.has(method));
  return {
    reads: true,
    writes: !isReadOnly,
    destroys: !isReadOnly && (tool.destructive ?? (method === undefined || overwrites.has(method))),
    idempotent: tool.idempotent ?? (isReadOnly || (method !== undefined && repeats.has(method))),
    openWorld: true,
    labels: ['network', 'egress', ...(tool.labels ?? [])],
  };
}

/** Whether a request may be sent twice: repeating it changes nothing, or the service can tell that it is the same one. */
export const isRepeatable = (tool: Declaration): boolean => effectsOf(tool).idempotent || tool.idempotencyKey === true;
