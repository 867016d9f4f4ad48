import { schemaContract } from '../../dist/core/contract.js';
import { httpDoor } from '../../dist/transports/http/edge/server.js';
import { mcpEndpoint } from '../../dist/transports/mcp/http/endpoint.js';
import { mcpRoutes } from '../../dist/transports/mcp/http/routes.js';
import { identity, wholeGateway } from '../support/compose.mjs';
import { conformanceSource } from './fixture.mjs';

const principal = { id: 'suite', name: 'Suite', kind: 'local', roles: ['user'] };

/** A real gateway with every guard around the fixture, on loopback; says where and how to stop. */
export const serveFixture = (options = {}) => serveSources([conformanceSource(schemaContract)], options);

/** The same around any sources. */
export async function serveSources(sources, { port = 0, legacyAnswers = 'json' } = {}) {
  const { gate, close } = await wholeGateway(sources, { failures: 1_000 });
  const bug = (error) => console.error(error);
  const endpoint = mcpEndpoint(gate, { identity, onBug: bug, taskGraceMs: 250, legacyAnswers });
  const door = httpDoor({
    host: '127.0.0.1',
    port,
    routes: mcpRoutes(endpoint, '/mcp'),
    authenticator: { authenticate: () => ({ principal }) },
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 4_194_304,
    peerRatePerSecond: 0,
    maxConnections: 1_000,
    onFault: bug,
  });
  await door.start();
  return {
    url: `http://localhost:${door.address().port}/mcp`,
    async stop() {
      await endpoint.close();
      await door.stop(AbortSignal.abort());
      close();
    },
  };
}
