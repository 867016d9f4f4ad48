import type { Gateway, Identity } from '../../src/core/gateway.js';
import type { Guard } from '../../src/core/guard.js';
import type { ToolSource } from '../../src/core/source.js';
import type { CallRuntime, Visibility } from '../../src/gateway.js';
import { gateway } from '../../src/gateway.js';
import type { AuditRecord } from '../../src/guards/audit.js';
import type { Breakers } from '../../src/guards/breaker.js';
import { breakers } from '../../src/guards/breaker.js';
import { pipeline } from '../../src/guards/pipeline.js';
import { tokenBucket } from '../../src/lib/token-bucket.js';
import type { Registry } from '../../src/registry/registry.js';
import { registry } from '../../src/registry/registry.js';
import { storedResults } from '../../src/sources/stored-results.js';
import { never } from './make.js';

export const identity: Identity = { name: 'toolgate', title: 'Toolgate', version: '0.0.0-test' };

/** A real gateway with every guard, around the given sources, with its audit in memory. */
export async function aGateway(
  sources: readonly ToolSource[],
  options: {
    readonly visibility?: Partial<Visibility>;
    readonly confirm?: Guard;
    readonly faults?: unknown[];
    /** Stores large results. */
    readonly stores?: boolean;
  } = {},
): Promise<{
  readonly gate: Gateway & { active(): number; close(): void };
  readonly registry: Registry;
  readonly breakers: Breakers;
  readonly records: AuditRecord[];
}> {
  const records: AuditRecord[] = [];
  const all = breakers({ settings: () => ({ failures: 5, cooldownMs: 60_000 }) });
  const results = options.stores === true ? storedResults({ ttlMs: () => 60_000 }) : undefined;
  const known = registry({
    sources: results ? [results.source, ...sources] : sources,
    filter: { include: [], exclude: [] },
  });
  await known.refresh(never);
  const wire = pipeline({
    journal: { problem: () => undefined, append: (record) => void records.push(record) },
    faults: { fault: (error) => void options.faults?.push(error) },
    authorizer: { decide: () => undefined },
    bucket: tokenBucket({ maxKeys: 10_000 }),
    ...(options.confirm && { extensions: [options.confirm] }),
    breakers: all,
  });
  const runtime: CallRuntime = {
    wire,
    visibility: { group: (view) => view.principal.id, isVisible: () => true, ...options.visibility },
  };
  const gate = gateway({ registry: known, current: () => runtime, breakers: all, ...(results && { results }) });
  return { gate, registry: known, breakers: all, records };
}
