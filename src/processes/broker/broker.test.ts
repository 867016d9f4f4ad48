import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import {
  aRun,
  aSpec,
  eventually,
  finished,
  oddSleep,
  processesNamed,
  zombiesOf,
} from '../../../test/support/processes.js';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { packageFile } from '../../lib/package-file.js';
import { processes } from '../index.js';

const module = pathToFileURL(packageFile('dist/processes/index.js')).href;

/** A gateway in a process of its own, which can be killed like a real one. */
function aGateway(
  script: string,
  stateFolder: string,
  extra: 'ignore' | number = 'ignore',
): { readonly gateway: ChildProcess; readonly stdout: Readable } {
  const source = `import { processes } from ${JSON.stringify(module)};
    const local = processes({ stateFolder: ${JSON.stringify(stateFolder)} });
    const spec = (script, tier) => ({ file: '/bin/sh', args: ['-c', script], env: {}, tier, network: 'host', limits: {} });
    const options = { timeoutMs: 600000, maxStdoutBytes: 1e6, maxStderrBytes: 1e6, onCap: 'kill' };
    ${script}`;
  // Node closes low descriptors of its own accord; one far above them is what really leaks.
  const stdio = [
    'ignore' as const,
    'pipe' as const,
    'inherit' as const,
    ...Array.from({ length: 37 }, () => 'ignore' as const),
    extra,
  ];
  const gateway = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio });
  return { gateway, stdout: gateway.stdout! };
}

const stateFolder = (): string => temporaryFolder('processes');

test('a broker that dies fails its runs at once, leaves nothing behind, and is replaced', async () => {
  const problems: string[] = [];
  const local = processes({ onProblem: (message) => problems.push(message) });
  const sleep = oddSleep();
  let ups = 0;
  const onOutput = () => (ups += 1);
  const scripts = [
    'echo up; sleep S',
    'setsid -f sleep S; echo up; sleep S',
    'trap "" TERM; (setsid sh -c "sleep S &" &); echo up; sleep S',
  ];
  const running = (['prlimit', 'bwrap'] as const).flatMap((tier) =>
    scripts.map((script) =>
      local.run(aSpec(script.replaceAll('S', sleep), { tier }), aRun({ timeoutMs: 600_000, onOutput })),
    ),
  );
  await eventually(
    () => ups,
    (count) => count >= running.length,
  );
  const first = local.brokerPid!;
  process.kill(first, 'SIGKILL');
  for (const result of await Promise.all(running))
    expect(result).toMatchObject({ kind: 'refused', reason: 'broker_lost' });
  expect(problems.join()).toContain('SIGKILL');
  const after = await eventually(
    () => local.run(aSpec('echo again'), aRun()),
    ({ kind }) => kind === 'finished',
  );
  expect(String(finished(after).stdout)).toBe('again\n');
  expect(processesNamed(sleep)).toEqual([]);
  expect(local.brokerPid).not.toBe(first);
  await local.close();
});

test('a gateway killed with -9 takes its broker and every tree with it', async () => {
  const folder = stateFolder();
  const sleep = oddSleep();
  const { gateway, stdout } = aGateway(
    `let ups = 0;
     for (const tier of ['prlimit', 'bwrap']) for (const script of ['setsid -f sleep ${sleep}; echo up; sleep ${sleep}', 'trap "" TERM; env -i setsid -f /bin/sleep ${sleep}; echo up; sleep ${sleep}'])
       void local.run(spec(script, tier), { ...options, onOutput: () => ++ups === 4 && console.log('broker', local.brokerPid) });`,
    folder,
  );
  const [line] = await new Promise<string[]>((resolve) =>
    stdout.once('data', (chunk) => resolve(String(chunk).split('\n'))),
  );
  const broker = Number(line!.split(' ')[1]);
  expect(processesNamed(sleep).length).toBeGreaterThanOrEqual(8);
  gateway.kill('SIGKILL');
  await eventually(
    () => processesNamed(sleep),
    (left) => left.length === 0,
  );
  await eventually(
    () => existsSync(`/proc/${broker}`),
    (alive) => !alive,
  );
  rmSync(folder, { recursive: true });
});

test('what a gateway and its broker leave when both are killed is swept by the next start', async () => {
  const folder = stateFolder();
  const sleep = oddSleep();
  const { gateway, stdout } = aGateway(
    `void local.run(spec('env -i setsid -f /bin/sleep ${sleep}; echo up; sleep 600', 'prlimit'), { ...options, onOutput: () => console.log(local.brokerPid) });`,
    folder,
  );
  const broker = await new Promise<number>((resolve) => stdout.once('data', (chunk) => resolve(Number(String(chunk)))));
  process.kill(broker, 'SIGSTOP'); // so that it cannot clean up when its channel closes
  gateway.kill('SIGKILL');
  await new Promise((resolve) => gateway.once('exit', resolve));
  process.kill(broker, 'SIGKILL');
  await eventually(
    () => existsSync(`/proc/${broker}`),
    (alive) => !alive,
  );
  expect(processesNamed(sleep).length).toBe(1);

  const other = processes({ stateFolder: stateFolder() });
  await other.tiers();
  await other.close();
  expect(processesNamed(sleep).length).toBe(1); // not its folder, not its business
  const next = processes({ stateFolder: folder });
  await eventually(
    () => processesNamed(sleep),
    (left) => left.length === 0,
  );
  // Only its own note is left once it has been told that the sweep is over.
  await eventually(
    () => readdirSync(folder),
    (left) => left.length === 1,
  );
  await next.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that the gateway was started with is not open in a program', async () => {
  const folder = stateFolder();
  const secret = openSync('/etc/hostname', 'r');
  const { gateway, stdout } = aGateway(
    `const { stdout } = await local.run({ ...spec('', 'prlimit'), file: '/bin/ls', args: ['-l', '/proc/self/fd'] }, options); console.log(String(stdout)); await local.close();`,
    folder,
    secret,
  );
  let listing = '';
  stdout.on('data', (chunk) => (listing += chunk));
  expect(await new Promise((resolve) => gateway.once('close', resolve))).toBe(0);
  expect(listing).toContain('/dev/null');
  expect(listing).not.toContain('hostname');
  rmSync(folder, { recursive: true });
});

test('closing ends what still runs and the broker itself [S0.121]', async () => {
  const local = processes();
  const sleep = oddSleep();
  let up = false;
  const running = local.run(
    aSpec(`setsid -f sleep ${sleep}; echo up; sleep ${sleep}`),
    aRun({ onOutput: () => (up = true) }),
  );
  await eventually(() => up, Boolean);
  const broker = local.brokerPid!;
  await local.close();
  expect(await running).toMatchObject({ cancelled: true });
  expect(processesNamed(sleep)).toEqual([]);
  expect(existsSync(`/proc/${broker}`)).toBe(false);
  expect(await local.run(aSpec('true'), aRun())).toMatchObject({ kind: 'refused', reason: 'broker_lost' });
});

test('many runs leave no descriptor open and no zombie in gateway or broker', async () => {
  const local = processes();
  const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
  await local.run(aSpec('true'), aRun());
  const broker = local.brokerPid!;
  const before = { gateway: descriptors(process.pid), broker: descriptors(broker) };
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        local.run(
          aSpec(n % 2 === 0 ? 'true' : 'exec yes', { tier: n % 4 < 2 ? 'prlimit' : 'bwrap' }),
          aRun({ maxStdoutBytes: 1000 }),
        ),
      ),
    );
  }
  await eventually(
    () => descriptors(broker),
    (now) => now <= before.broker,
  );
  expect(descriptors(process.pid)).toBeLessThanOrEqual(before.gateway);
  await eventually(
    () => [...zombiesOf(broker), ...zombiesOf(process.pid)],
    (left) => left.length === 0,
  );
  await local.close();
});

test('no cgroup is left behind by runs, a lost broker, or the end', async () => {
  const local = processes();
  const { processLimit } = await local.tiers();
  const base = '/sys/fs/cgroup/pids';
  const left = (): readonly string[] =>
    existsSync(base) ? readdirSync(base).filter((name) => name.startsWith('toolgate-')) : [];
  const before = new Set(left());
  const added = (): readonly string[] => left().filter((name) => !before.has(name));
  const counted = (script: string) =>
    aSpec(script, { limits: processLimit.available && process.getuid?.() === 0 ? { processes: 20 } : {} });
  await Promise.all([local.run(counted('exit 0'), aRun()), local.run(counted('sleep 60'), aRun({ timeoutMs: 100 }))]);
  let isUp = false;
  const lost = local.run(counted('echo up; sleep 60'), aRun({ onOutput: () => (isUp = true) }));
  await eventually(() => isUp, Boolean);
  process.kill(local.brokerPid!, 'SIGKILL');
  await lost;
  await eventually(
    () => local.run(counted('exit 0'), aRun()),
    ({ kind }) => kind === 'finished',
  );
  const hanging = local.run(counted('sleep 60'), aRun());
  await local.close();
  await hanging;
  await eventually(added, (names) => names.length === 0); // runs of other tests come and go
});

test('a service manager that signals every process does not stop the broker', async () => {
  const local = processes();
  await local.tiers();
  const broker = local.brokerPid!;
  const running = local.run(aSpec('sleep 0.3; echo whole'), aRun());
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(broker, name);
  expect(String(finished(await running).stdout)).toBe('whole\n');
  await local.close();
});
