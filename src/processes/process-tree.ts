import { readdirSync, readFileSync } from 'node:fs';

/** A running process below another one. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** Steps below the process that was asked for. */
  readonly depth: number;
  /** Name of the program as the kernel keeps it: 15 bytes, and chosen by the program itself. */
  readonly name: string;
  readonly memoryMb: number;
}

const maxProcesses = 200;
const pageBytes = 4_096;

/** These processes and all below them, parents first; empty where the system has no /proc. */
export function processTree(pids: readonly number[]): readonly ProcessInfo[] {
  if (pids.length === 0) return [];
  const all = readAllProcesses();
  const children = new Map<number, Omit<ProcessInfo, 'depth'>[]>();
  for (const each of all.values()) children.set(each.parent, [...(children.get(each.parent) ?? []), each]);
  const found: ProcessInfo[] = [];
  const visit = (process: Omit<ProcessInfo, 'depth'>, depth: number): void => {
    if (found.length >= maxProcesses) return;
    found.push({ ...process, depth });
    for (const child of children.get(process.pid) ?? []) visit(child, depth + 1);
  };
  for (const pid of pids) {
    const process = all.get(pid);
    if (process) visit(process, 0);
  }
  return found;
}

function readAllProcesses(): ReadonlyMap<number, Omit<ProcessInfo, 'depth'>> {
  const found = new Map<number, Omit<ProcessInfo, 'depth'>>();
  let names: readonly string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return found;
  }
  for (const name of names) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The name is in parentheses and may contain any character, also a closing one.
      const open = stat.indexOf('(');
      const end = stat.lastIndexOf(')');
      const fields = stat.slice(end + 2).split(' ');
      found.set(Number(name), {
        pid: Number(name),
        parent: Number(fields[1]),
        name: stat.slice(open + 1, end),
        memoryMb: Math.round((Number(fields[21]) * pageBytes) / 104_857.6) / 10,
      });
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
