import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exchange, place } from '../mcp/process.mjs';
import { cpuNanos, treeOf } from './tree.mjs';

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Servers over stdio, in turns; CPU of the server and all it starts. */
export async function comparePipes(contenders, { inFlight, rounds = 7, calls, warm }) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const running = contenders.map(({ name, path, args = [], line, answered, opening }, at) => {
    const errors = openSync(join(folder, `stderr-${at}`), 'w');
    const child = spawn(process.execPath, [place(path), ...args], {
      stdio: ['pipe', 'pipe', errors],
      env: { PATH: process.env.PATH, HOME: folder, TOOLGATE_HOME: join(folder, `home-${at}`) },
    });
    closeSync(errors);
    return { name, child, line, answered, opening, from: 0, samples: [] };
  });
  try {
    for (const each of running) {
      if (each.opening)
        await exchange(each.child, {
          from: 0,
          calls: 1,
          inFlight: 1,
          line: () => each.opening,
          answered: () => undefined,
        });
      await exchange(each.child, { ...each, calls: warm, inFlight: Math.max(inFlight, 32) });
      each.from += warm;
    }
    for (let turn = 0; turn < rounds; turn += 1)
      for (const each of running) {
        const pids = treeOf(each.child.pid);
        const before = cpuNanos(pids);
        await exchange(each.child, { ...each, calls, inFlight });
        each.from += calls;
        each.samples.push((cpuNanos(pids) - before) / 1_000 / calls);
      }
    return Object.fromEntries(running.map(({ name, samples }) => [name, Number(median(samples).toFixed(1))]));
  } finally {
    for (const { child } of running) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
