// The fixture behind pipes, so that it can be a plugin of another gateway.
import { schemaContract } from '../../dist/core/contract.js';
import { stdioTransport } from '../../dist/transports/stdio/stdio.js';
import { identity, wholeGateway } from '../support/compose.mjs';
import { conformanceSource } from './fixture.mjs';

const { gate, close } = await wholeGateway([conformanceSource(schemaContract)], { failures: 1_000 });
const transport = stdioTransport(gate, {
  identity,
  principal: { id: 'gate', name: 'Gate', kind: 'local', roles: ['user'] },
  input: process.stdin,
  output: process.stdout,
  onEnd: () => {
    close();
    process.exit(0);
  },
});
await transport.start();
