import { load } from '../mcp/load.mjs';
import { cpuNanos, rssMb, treeOf } from './tree.mjs';

const round = (value, digits = 2) => Number(value.toFixed(digits));
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** The compiler needs this many calls; slow contenders stop warming up after `maxWarmMs`. */
const warmCalls = 12_000;
const maxWarmMs = 5_000;

/** Rounds stop after this time, except for the first three: a run ends on a loaded machine too. */
const maxRoundsMs = 30_000;
const fewestRounds = 3;

/** Warms with many in flight, whatever is measured afterwards: one at a time would measure the compiler of the larger program. */
async function warmUp(contender, measured) {
  const connections = Math.max(measured, 32);
  const began = performance.now();
  const chunk = contender.slow ? 200 : 1_000;
  for (let calls = 0; calls < warmCalls && performance.now() - began < maxWarmMs; calls += chunk)
    await load({ ...contender.way, port: contender.server.port, connections, calls: chunk });
  if (measured !== connections)
    await load({ ...contender.way, port: contender.server.port, connections: measured, calls: 200 });
}

async function sample(contender, connections, calls) {
  const pids = treeOf(contender.server.pid);
  const before = cpuNanos(pids);
  const seen = await load({ ...contender.way, port: contender.server.port, connections, calls });
  return { cpuMicros: (cpuNanos(pids) - before) / 1_000 / calls, p50Ms: seen.p50Ms, p99Ms: seen.p99Ms };
}

/**
 * Measures contenders against each other: all are started and warmed alike, then take turns, so that a noisy neighbour meets
 * all of them. Medians of the rounds; a contender that cannot be started is reported as skipped.
 */
export async function compare(contenders, { connections, rounds = 7, calls = connections === 1 ? 500 : 2_000 }) {
  let running = [];
  const table = {};
  const skip = (name, error) => {
    table[name] = { skipped: String(error.message).slice(0, 200) };
  };
  try {
    for (const contender of contenders) {
      try {
        running.push({ ...contender, server: await contender.start(), samples: [] });
      } catch (error) {
        skip(contender.name, error);
      }
    }
    for (const contender of running)
      await warmUp(contender, connections).catch(async (error) => {
        skip(contender.name, error);
        running = running.filter((each) => each !== contender);
        await contender.server.stop();
      });
    const began = performance.now();
    for (let turn = 0; turn < rounds; turn += 1) {
      if (turn >= fewestRounds && performance.now() - began > maxRoundsMs) break;
      for (const contender of running)
        contender.samples.push(await sample(contender, connections, contender.slow ? calls / 10 : calls));
    }
    for (const { name, samples, server } of running) {
      const at = (key) => median(samples.map((each) => each[key]));
      table[name] = {
        cpuMicros: round(at('cpuMicros'), 1),
        p50Ms: round(at('p50Ms')),
        p99Ms: round(at('p99Ms')),
        rssMb: rssMb(treeOf(server.pid)),
      };
    }
  } finally {
    await Promise.all(running.map(({ server }) => server.stop()));
  }
  return table;
}

/** Adds p50 and p99 above those of the direct call. */
export function withAdded(table, direct) {
  const floor = table[direct];
  for (const row of Object.values(table))
    if (row !== floor && row.p50Ms !== undefined)
      Object.assign(row, { addedP50Ms: round(row.p50Ms - floor.p50Ms), addedP99Ms: round(row.p99Ms - floor.p99Ms) });
  return table;
}

/** Quotients of CPU per call. */
export const ratio = (table, above, below) =>
  table[above]?.cpuMicros && table[below]?.cpuMicros
    ? round(table[above].cpuMicros / table[below].cpuMicros)
    : undefined;
