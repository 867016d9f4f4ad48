import { readdirSync, readFileSync } from 'node:fs';
import { place } from '../mcp/process.mjs';

const upstream = place('upstream/echo-stdio.mjs');

const read = (path) => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // the process or thread ended meanwhile
  }
};

/** Parent of every process. */
function parents() {
  const found = new Map();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = read(`/proc/${pid}/stat`);
    if (stat !== '') found.set(Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  return found;
}

const isUpstream = (pid) => read(`/proc/${pid}/cmdline`).split('\0')[1] === upstream;

/** A process and everything it started, except the upstream server. */
export function treeOf(root) {
  const above = parents();
  const found = [];
  const visit = (pid) => {
    if (pid !== root && isUpstream(pid)) return;
    found.push(pid);
    for (const [child, parent] of above) if (parent === pid) visit(child);
  };
  visit(root);
  return found;
}

/** Nanoseconds on a processor of all threads of some processes; the scheduler's count, which is exact where ticks are 10 ms. */
export function cpuNanos(pids) {
  let sum = 0;
  for (const pid of pids) {
    let threads = [];
    try {
      threads = readdirSync(`/proc/${pid}/task`);
    } catch {}
    for (const thread of threads) sum += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]);
  }
  return sum;
}

/** Resident memory of each process in MB. */
export const rssMb = (pids) =>
  pids.map((pid) => Math.round(Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024));
