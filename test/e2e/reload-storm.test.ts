import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { aPlace, serving } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

/** Reloads of a run; `TOOLGATE_RELOADS=500` for the long form. */
const reloads = Number(process.env['TOOLGATE_RELOADS'] ?? 24);
const warmUp = 6;

const bob = 'bob-token-of-at-least-32-characters-0001';
const quiet = 'commands: { builtins: false }\nlog: { level: info }\nrate_limit: { requests: 100000 }\n';
const server = (id: string): string => `
  ${id}:
    kind: mcp
    command: ${process.execPath}
    args: ${JSON.stringify([serverFile])}
    concurrency: 64
`;
/** No rules, a second token, one source. */
const open = `${quiet}auth: { tokens: [{ name: bob, token: "${bob}", roles: [user] }] }\nsources:${server('fix')}`;
/** A second source with a tool that a rule denies to all; the second token is gone. */
const closed = `${quiet}policy: { rules: [{ id: no-env, action: deny, tools: [extra__env] }, { id: rest, action: allow }] }\nsources:${server('fix')}${server('extra')}`;
const invalid = 'tool: { exclde: [] }\n';

test(
  'under a storm of reloads no call on an unchanged source fails, no new tool runs under old rules, a removed token ends at once, and nothing leaks',
  async () => {
    const place = aPlace({ 'toolgate.yaml': open });
    const gate = await serving(place);
    const pid = gate.child.pid ?? 0;
    const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const call = async (tool: string, token = gate.token): Promise<number> =>
      (await gate.send(`/tools/${tool}/execute`, { body: {}, ...as(token) })).status;
    const count = (event: string): number => gate.log().split(`"event":"${event}"`).length - 1;
    /** Writes a file and waits until it is active or rejected. */
    async function reload(text: string): Promise<void> {
      const event = text === invalid ? 'config.rejected' : 'config.reloaded';
      const before = count(event);
      writeFileSync(join(place, 'next.yaml'), text);
      renameSync(join(place, 'next.yaml'), join(place, 'toolgate.yaml'));
      await eventually(
        () => count(event),
        (now) => now > before,
        60_000,
      );
    }

    const began = Date.now();
    const stop = new AbortController();
    const outcomes = { echo: new Map<number, number>(), env: new Map<number, number>() };
    const hammer = async (tool: string, into: Map<number, number>): Promise<void> => {
      while (!stop.signal.aborted) {
        const status = await call(tool);
        into.set(status, (into.get(status) ?? 0) + 1);
      }
    };
    const load = [
      hammer('fix__echo', outcomes.echo),
      hammer('fix__echo', outcomes.echo),
      hammer('extra__env', outcomes.env),
    ];
    const tokens: string[] = [];
    let warm: ReturnType<typeof usage> | undefined;
    for (let turn = 0; turn < reloads; turn += 1) {
      const wanted = turn % 4 === 0 ? closed : turn % 4 === 2 ? open : invalid;
      await reload(wanted);
      // The old token is refused by the first request after the swap, the returned one is accepted.
      const isOpen = turn % 4 >= 2;
      const status = await call('fix__echo', bob);
      if (status !== (isOpen ? 200 : 401)) tokens.push(`turn ${turn}: ${status}`);
      if (turn === warmUp + 1) warm = usage(pid);
    }
    await reload(`${open}tool: { exclude: [nothing] }\n`);
    stop.abort();
    await Promise.all(load);

    if (reloads > 24)
      console.log(
        JSON.stringify({
          reloads,
          seconds: (Date.now() - began) / 1000,
          warm,
          end: usage(pid),
          echo: [...outcomes.echo],
          env: [...outcomes.env],
        }),
      );
    expect([...outcomes.echo.keys()]).toEqual([200]);
    expect([...outcomes.env.keys()].filter((status) => status !== 404)).toEqual([]);
    expect(tokens).toEqual([]);
    const end = await eventually(
      () => usage(pid),
      (now) => now.processes <= (warm?.processes ?? 0),
      60_000,
    );
    expect(end.descriptors).toBeLessThanOrEqual((warm?.descriptors ?? 0) + 12);
    expect(end.residentMb).toBeLessThanOrEqual((warm?.residentMb ?? 0) + 150);
  },
  reloads * 6_000 + 60_000,
);

/** Open files, descendants and memory of a process. */
function usage(pid: number): { readonly descriptors: number; readonly processes: number; readonly residentMb: number } {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const isBelow = (each: number): boolean => {
    const parent = parents.get(each);
    return parent !== undefined && parent > 1 && (parent === pid || isBelow(parent));
  };
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: [...parents.keys()].filter(isBelow).length,
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  };
}
