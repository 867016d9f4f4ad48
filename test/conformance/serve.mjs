import { schemaContract } from '../../dist/core/contract.js';
import { gateway } from '../../dist/gateway.js';
import { audit } from '../../dist/guards/audit.js';
import { authorize } from '../../dist/guards/authorize.js';
import { breakers } from '../../dist/guards/breaker.js';
import { contain } from '../../dist/guards/contain.js';
import { absent, pipeline } from '../../dist/guards/pipeline.js';
import { rateLimit } from '../../dist/guards/rate-limit.js';
import { tokenBucket } from '../../dist/lib/token-bucket.js';
import { registry } from '../../dist/registry/registry.js';
import { httpDoor } from '../../dist/transports/http/server.js';
import { mcpEndpoint } from '../../dist/transports/mcp/endpoint.js';
import { mcpRoutes } from '../../dist/transports/mcp/routes.js';
import { conformanceSource } from './fixture.mjs';

const principal = { id: 'suite', name: 'Suite', kind: 'local', roles: ['user'] };

/** A real gateway with every guard around the fixture, on loopback; says where and how to stop. */
export async function serveFixture({ port = 0, legacyAnswers = 'json' } = {}) {
  const all = breakers({ settings: () => ({ failures: 1_000, restMs: 1_000 }) });
  const known = registry({ sources: [conformanceSource(schemaContract)], filter: { include: [], exclude: [] } });
  await known.refresh(new AbortController().signal);
  const wire = pipeline({
    audit: audit({ log: { problem: () => undefined, append: () => {} } }),
    metrics: absent,
    contain: contain({ faults: { fault: () => {} } }),
    authorize: authorize({ authorizer: { decide: () => undefined } }),
    rateLimit: rateLimit({ bucket: tokenBucket({ maxKeys: 1_000 }) }),
    confirm: absent,
    breaker: all.guard,
  });
  const gate = gateway({ registry: known, wire, breakers: all, visibility: { group: () => 'all', sees: () => true } });
  const identity = { name: 'toolgate', title: 'Toolgate', version: '0.0.0-conformance' };
  const bug = (error) => console.error(error);
  const endpoint = mcpEndpoint(gate, { identity, onBug: bug, taskGraceMs: 250, legacyAnswers });
  const door = httpDoor({
    host: '127.0.0.1', port, routes: mcpRoutes(endpoint, '/mcp'), authenticator: { authenticate: () => ({ principal }) },
    allowedHosts: [], allowedOrigins: [], corsOrigins: [], maxBodyBytes: 4_194_304, peerRatePerSecond: 0, maxConnections: 1_000, onFault: bug,
  });
  await door.start();
  return {
    url: `http://localhost:${door.address().port}/mcp`,
    async stop() {
      await endpoint.close();
      await door.stop(AbortSignal.abort());
    },
  };
}
