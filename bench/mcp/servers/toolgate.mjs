// The product: listener, bearer token, both eras, every guard, audit on disk.
import { ownerToken } from '../../../test/support/owner-token.mjs';
import { schemaContract } from '../../../dist/core/contract.js';
import { httpDoor } from '../../../dist/transports/http/edge/server.js';
import { mcpEndpoint } from '../../../dist/transports/mcp/http/endpoint.js';
import { mcpRoutes } from '../../../dist/transports/mcp/http/routes.js';
import { identity, wholeGateway } from '../../../test/support/compose.mjs';
import { token } from '../requests.mjs';
import { report } from './child.mjs';
import { echoSource } from './echo-source.mjs';

const { gate, close } = await wholeGateway([echoSource(schemaContract, Number(process.argv[2] ?? 1))]);
const endpoint = mcpEndpoint(gate, { identity, sessions: { max: 100_000 } });
const door = httpDoor({
  host: '127.0.0.1',
  port: 0,
  routes: mcpRoutes(endpoint, '/mcp'),
  authenticator: ownerToken(token),
  allowedHosts: [],
  allowedOrigins: [],
  corsOrigins: [],
  maxBodyBytes: 1_048_576,
  peerRatePerSecond: 1_000_000,
  maxConnections: 10_000,
  onFault: (error) => console.error(error),
});
await door.start();
process.on('exit', close);
report(door.address().port);
