// npm run soak [cycles] [seed]: some minutes of random kills, timeouts, crashes and reloads, and of clients that vanish;
// exit code 0 only when nothing is left.
import { soak } from './cycles.mjs';
import { vanish } from './vanish.mjs';

const [cycles = '1000', seed = '1'] = process.argv.slice(2);
const clients = await vanish({ clients: 20 * Number(cycles) });
const upstreams = await soak({
  cycles: Number(cycles),
  seed: Number(seed),
  onCycle: (cycle) => cycle % 100 === 0 && console.error(`${cycle} …`),
});
console.log(JSON.stringify({ clients, upstreams }));
const flat = [clients, upstreams].every(
  ({ activeLeft, descriptorsGrown, heapGrownMb }) => activeLeft === 0 && descriptorsGrown <= 2 && heapGrownMb < 20,
);
process.exitCode = flat && upstreams.processesLeft === 0 ? 0 : 1;
