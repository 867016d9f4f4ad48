import type { Gateway, Identity } from '../../src/core/gateway.js';
import type { Guard } from '../../src/core/guard.js';
import type { ToolSource } from '../../src/core/source.js';
import type { CallRuntime, Visibility } from '../../src/gateway.js';
import { gateway } from '../../src/gateway.js';
import type { AuditRecord } from '../../src/guards/audit.js';
import { audit } from '../../src/guards/audit.js';
import { authorize } from '../../src/guards/authorize.js';
import type { Breakers } from '../../src/guards/breaker.js';
import { breakers } from '../../src/guards/breaker.js';
import { contain } from '../../src/guards/contain.js';
import { noopGuard, noopGuards, pipeline } from '../../src/guards/pipeline.js';
import { rateLimit } from '../../src/guards/rate-limit.js';
import { sanitize } from '../../src/guards/sanitize.js';
import { tokenBucket } from '../../src/lib/token-bucket.js';
import type { Registry } from '../../src/registry/registry.js';
import { registry } from '../../src/registry/registry.js';
import { never } from './make.js';

export const identity: Identity = { name: 'toolgate', title: 'Toolgate', version: '0.0.0-test' };

/** A real gateway with every guard, around the given sources, with its audit in memory. */
export async function aGateway(
  sources: readonly ToolSource[],
  options: { readonly visibility?: Partial<Visibility>; readonly confirm?: Guard; readonly faults?: unknown[] } = {},
): Promise<{
  readonly gate: Gateway & { active(): number; close(): void };
  readonly registry: Registry;
  readonly breakers: Breakers;
  readonly records: AuditRecord[];
}> {
  const records: AuditRecord[] = [];
  const all = breakers({ settings: () => ({ failures: 5, cooldownMs: 60_000 }) });
  const known = registry({ sources, filter: { include: [], exclude: [] } });
  await known.refresh(never);
  const wire = pipeline({
    ...noopGuards,
    audit: audit({ log: { problem: () => undefined, append: (record) => void records.push(record) } }),
    contain: contain({ faults: { fault: (error) => void options.faults?.push(error) } }),
    authorize: authorize({ authorizer: { decide: () => undefined } }),
    rateLimit: rateLimit({ bucket: tokenBucket({ maxKeys: 10_000 }) }),
    confirm: options.confirm ?? noopGuard,
    breaker: all.guard,
    sanitize: sanitize(),
  });
  const runtime: CallRuntime = {
    wire,
    visibility: { group: (view) => view.principal.id, isVisible: () => true, ...options.visibility },
  };
  const gate = gateway({ registry: known, current: () => runtime, breakers: all });
  return { gate, registry: known, breakers: all, records };
}
