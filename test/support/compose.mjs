import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateway } from '../../dist/gateway.js';
import { breakers } from '../../dist/guards/breaker.js';
import { pipeline } from '../../dist/guards/pipeline.js';
import { tokenBucket } from '../../dist/lib/token-bucket.js';
import { auditLog } from '../../dist/observe/audit/audit-log.js';
import { metrics } from '../../dist/observe/metrics/metrics.js';
import { registry } from '../../dist/registry/registry.js';

export const identity = { name: 'toolgate', title: 'Toolgate', version: '0.0.0' };

/** A gateway with every guard, its audit on disk, around sources made by hand. */
export async function wholeGateway(sources, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-compose-'));
  const opened = auditLog({ folder });
  if (!opened.ok) throw new Error(opened.problem);
  const numbers = metrics();
  const all = breakers({ settings: () => ({ failures: options.failures ?? 5, cooldownMs: 1_000 }) });
  const known = registry({ sources, filter: { include: [], exclude: [] } });
  await known.refresh(new AbortController().signal);
  numbers.tools([...known.catalogue().tools.keys()]);
  const wire = pipeline({
    journal: opened.log,
    metrics: numbers,
    faults: { fault: () => {} },
    authorizer: { decide: () => undefined },
    bucket: tokenBucket({ maxKeys: 10_000 }),
    breakers: all,
  });
  const runtime = {
    wire,
    visibility: { group: () => 'all', isVisible: () => true },
  };
  const gate = gateway({ registry: known, current: () => runtime, breakers: all });
  return {
    gate,
    close() {
      opened.log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
