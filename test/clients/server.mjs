// A real gateway as a process: `server.mjs http` prints its URL, `server.mjs stdio` speaks on its pipes.
import { ownerToken } from '../support/owner-token.mjs';
import { schemaContract } from '../../dist/core/contract.js';
import { httpDoor } from '../../dist/transports/http/edge/server.js';
import { mcpEndpoint } from '../../dist/transports/mcp/http/endpoint.js';
import { mcpRoutes } from '../../dist/transports/mcp/http/routes.js';
import { stdioTransport } from '../../dist/transports/stdio/stdio.js';
import { identity, wholeGateway } from '../support/compose.mjs';
import { clientSource } from './source.mjs';

const { gate, close } = await wholeGateway([clientSource(schemaContract)]);
process.on('exit', close);

if (process.argv[2] === 'stdio') {
  const principal = { id: 'local', name: 'local', kind: 'local', roles: ['user'] };
  await stdioTransport(gate, { identity, principal, onEnd: () => process.exit(0) }).start();
  process.on('SIGTERM', () => process.exit(0));
} else {
  const endpoint = mcpEndpoint(gate, { identity });
  const door = httpDoor({
    host: '127.0.0.1',
    port: 0,
    routes: mcpRoutes(endpoint, '/mcp'),
    authenticator: ownerToken('test-token-1'),
    allowedHosts: [],
    allowedOrigins: [],
    corsOrigins: [],
    maxBodyBytes: 1_048_576,
    peerRatePerSecond: 0,
    maxConnections: 1_000,
    onFault: (error) => console.error(error),
  });
  await door.start();
  console.log(`http://127.0.0.1:${door.address().port}/mcp`);
  process.stdin.resume().on('end', () => process.exit(0));
}
