import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { freePort } from '../support/engines.mjs';
import { call, codeOf, replica } from './replica.mjs';

const cpuGroups = '/sys/fs/cgroup/cpu';
const quotaUs = 40_000;
const calls = 4_000;
const loadMs = 8_000;

/** Runs calls with a few in flight; returns those that passed the limits. */
async function load(bases, isOver) {
  let passed = 0;
  let next = 0;
  const client = async () => {
    while (!isOver(next)) {
      const answer = await call(bases[next++ % bases.length], 'dig');
      if (codeOf(answer) === 'invalid_arguments') passed += 1;
    }
  };
  await Promise.all(Array.from({ length: 4 * bases.length }, client));
  return passed;
}

/** Processor time per call against a single gateway, and throughput of two replicas against one, each with 0.4 of a core. */
export async function measure({ folder, engines, report }) {
  const start = async (name, shared) =>
    replica({ folder, name, port: await freePort(), ...(shared && { engines }) }).start();
  const alone = await start('alone', false);
  const one = await start('m0', true);
  const perCall = async (gate) => {
    await load([gate.url], (at) => at >= 500);
    const before = gate.cpuMs();
    const passed = await load([gate.url], (at) => at >= calls);
    return ((gate.cpuMs() - before) * 1000) / passed;
  };
  const rounds = [];
  for (let round = 0; round < 3; round += 1) rounds.push([await perCall(alone), await perCall(one)]);
  const [embedded, clustered] = [0, 1].map((at) => rounds.map((each) => each[at]).toSorted((a, b) => a - b)[1]);
  report(
    'processor time per call',
    clustered / embedded <= 1.25,
    `${clustered.toFixed(0)} µs in a cluster, ${embedded.toFixed(0)} µs alone, ${(clustered / embedded).toFixed(2)} times (median of 3)`,
  );
  await alone.stop('SIGTERM');

  if (!existsSync(`${cpuGroups}/cpu.cfs_quota_us`))
    return report('throughput of two', true, 'not measured: no cgroup v1 cpu controller that can be written');
  const two = await start('m1', true);
  const groups = [one, two].map(({ name, pid }) => {
    const path = `${cpuGroups}/toolgate-${process.pid}-${name}`;
    mkdirSync(path);
    writeFileSync(`${path}/cpu.cfs_period_us`, '100000');
    writeFileSync(`${path}/cpu.cfs_quota_us`, String(quotaUs));
    writeFileSync(`${path}/cgroup.procs`, String(pid));
    return path;
  });
  const perSecond = async (bases) => {
    const end = Date.now() + loadMs;
    return (await load(bases, () => Date.now() > end)) / (loadMs / 1000);
  };
  const single = await perSecond([one.url]);
  const both = await perSecond([one.url, two.url]);
  report(
    'throughput of two',
    both / single >= 1.8,
    `${both.toFixed(0)} calls/s with two, ${single.toFixed(0)} with one, ${(both / single).toFixed(2)} times, each with 0.4 of a core`,
  );
  await Promise.all([one.stop('SIGKILL'), two.stop('SIGKILL')]);
  for (const path of groups) rmdirSync(path);
}
