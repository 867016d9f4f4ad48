// The gateway with every guard on, real audit and metrics, around one tool that gives its text back.
import { join } from 'node:path';
import { ownerToken } from '../../test/support/owner-token.mjs';
import { schemaContract } from '../../dist/core/contract.js';
import { done } from '../../dist/core/outcome.js';
import { defaultLimits, readOnly } from '../../dist/core/tool.js';
import { gateway } from '../../dist/gateway.js';
import { breakers } from '../../dist/guards/breaker.js';
import { pipeline } from '../../dist/guards/pipeline.js';
import { tokenBucket } from '../../dist/lib/token-bucket.js';
import { auditLog } from '../../dist/observe/audit/audit-log.js';
import { metrics } from '../../dist/observe/metrics/metrics.js';
import { registry } from '../../dist/registry/registry.js';
import { restRoutes } from '../../dist/transports/http/rest.js';
import { httpDoor } from '../../dist/transports/http/edge/server.js';

const tool = {
  name: 'noop',
  description: 'Gives its text back',
  source: 'bench',
  effects: readOnly,
  input: schemaContract({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  }),
  limits: { ...defaultLimits, concurrency: 1000, ratePerMinute: 1e9 },
  run: (call) => Promise.resolve(done(call.args.text)),
};
const opened = auditLog({ folder: join(process.env.TOOLGATE_HOME, 'audit'), sync: 'never' });
const numbers = metrics();
numbers.tools(['noop']);
const all = breakers({ settings: () => ({ failures: 5, cooldownMs: 60_000 }) });
const known = registry({ sources: [{ id: 'bench', list: async () => [tool] }], filter: { include: [], exclude: [] } });
await known.refresh(new AbortController().signal);
const runtime = {
  visibility: { group: () => '', isVisible: () => true },
  wire: pipeline({
    journal: opened.log,
    metrics: numbers,
    faults: { fault: console.error },
    authorizer: { decide: () => undefined },
    bucket: tokenBucket({ maxKeys: 10_000 }),
    breakers: all,
  }),
};
const gate = gateway({ registry: known, breakers: all, current: () => runtime });
const door = httpDoor({
  host: '127.0.0.1',
  port: 0,
  routes: restRoutes({ gateway: gate, trace: () => undefined }),
  authenticator: ownerToken('bench-token-of-at-least-32-characters'),
  allowedHosts: [],
  allowedOrigins: [],
  corsOrigins: [],
  maxBodyBytes: 1_000_000,
  peerRatePerSecond: 1e9,
  maxConnections: 1000,
  onFault: console.error,
});
await door.start();
console.log(`port ${door.address().port}`);
