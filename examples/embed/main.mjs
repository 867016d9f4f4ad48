// Runs the gateway: `node main.mjs`, then connect a client to the printed URL.
import { open } from './gate.mjs';

const gate = await open({ stateFolder: '.toolgate' });
console.log(`${await gate.listen()}  token: .toolgate/token`);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void gate.close());
