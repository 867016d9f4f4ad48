// The product over a pipe, every guard on.
import { schemaContract } from '../../../dist/core/contract.js';
import { stdioTransport } from '../../../dist/transports/stdio/stdio.js';
import { identity, wholeGateway } from '../../../test/support/compose.mjs';
import { echoSource } from './echo-source.mjs';

const { gate, close } = await wholeGateway([echoSource(schemaContract)]);
const principal = { id: 'local', name: 'local', kind: 'local', roles: ['user'] };
const transport = stdioTransport(gate, {
  identity,
  principal,
  onEnd() {
    close();
    process.exit(0);
  },
});
process.on('SIGUSR2', () => process.stderr.write(`${JSON.stringify(process.cpuUsage())}\n`));
await transport.start();
