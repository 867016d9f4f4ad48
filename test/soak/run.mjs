// npm run soak [cycles] [seed]: some minutes of random kills, timeouts, crashes and reloads; exit code 0 only when nothing is left.
import { soak } from './cycles.mjs';

const [cycles = '1000', seed = '1'] = process.argv.slice(2);
const result = await soak({ cycles: Number(cycles), seed: Number(seed), onCycle: (cycle) => cycle % 100 === 0 && console.error(`${cycle} …`) });
console.log(JSON.stringify(result));
process.exitCode = result.processesLeft === 0 && result.activeLeft === 0 && result.descriptorsGrown <= 2 && result.heapGrownMb < 20 ? 0 : 1;
