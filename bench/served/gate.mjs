// The product as `toolgate serve` wires it, with the shipped defaults (log level included) around one in-process tool. Only the
// limits that would refuse the load are raised. `gate.mjs http|stdio [tools] [extra configuration as JSON]`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaContract } from '../../dist/core/contract.js';
import { createGate } from '../../dist/index.js';
import { openDoor } from '../../dist/serve/door.js';
import { echoSource } from '../mcp/servers/echo-source.mjs';
import { token } from '../mcp/requests.mjs';
import { report } from '../mcp/servers/child.mjs';

const [transport = 'http', tools = '1', more = '{}'] = process.argv.slice(2);
const home = process.env.TOOLGATE_HOME;
mkdirSync(home, { recursive: true, mode: 0o700 });
writeFileSync(join(home, 'token'), token, { mode: 0o600 });
const extra = JSON.parse(more);
const opened = await createGate({
  config: {
    commands: { builtins: false },
    rate_limit: { requests: 100_000, burst: 100_000 },
    ...extra,
    server: { transport, port: 0, peer_rate_per_second: 100_000, ...extra.server },
    state: { directory: home },
  },
  sources: [echoSource(schemaContract, Number(tools))],
});
if (transport === 'http') report(Number(new URL(await opened.listen()).port));
else {
  const door = await openDoor(opened.gate, opened.gate.config(), { folder: home, run: join(home, 'run') });
  process.on('SIGUSR2', () => process.send?.('ready'));
  await door.ended;
  await opened.close();
  process.exit(0);
}
