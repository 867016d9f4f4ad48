import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gateway } from '../../dist/gateway.js';
import { audit } from '../../dist/guards/audit.js';
import { authorize } from '../../dist/guards/authorize.js';
import { breakers } from '../../dist/guards/breaker.js';
import { contain } from '../../dist/guards/contain.js';
import { metrics as metricsGuard } from '../../dist/guards/metrics.js';
import { noopGuard, pipeline } from '../../dist/guards/pipeline.js';
import { rateLimit } from '../../dist/guards/rate-limit.js';
import { sanitize } from '../../dist/guards/sanitize.js';
import { tokenBucket } from '../../dist/lib/token-bucket.js';
import { auditLog } from '../../dist/observe/audit-log.js';
import { metrics } from '../../dist/observe/metrics.js';
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
  const wired = {
    audit: audit({ log: opened.log }),
    metrics: metricsGuard({ sink: numbers }),
    contain: contain({ faults: { fault: () => {} } }),
    authorize: authorize({ authorizer: { decide: () => undefined } }),
    rateLimit: rateLimit({ bucket: tokenBucket({ maxKeys: 10_000 }) }),
    breaker: all.guard,
    sanitize: sanitize(),
  };
  // A guard that only the composition root can introduce (a log, a person to ask) is noopGuard here.
  const wire = pipeline(new Proxy(wired, { get: (guards, name) => guards[name] ?? noopGuard }));
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
