import { expect } from 'vitest';
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { processesNamed } from '../../support/processes.js';
import { serving } from '../../support/toolgate.js';
import { row } from '../row.js';
import { aFolder, aGate, folder, gate, info, logged, result, run } from './world.js';

/** Arguments of nmap as a dry run shows them. */
const scan = (more: Record<string, unknown>, of = gate) =>
  result('nmap', { target: '127.0.0.1', dry_run: true, ...more }, of);

/** Command line that starts a gateway which cannot set the limit of `few`: without cgroups for root, with a low hard limit otherwise. */
function limitedProgram(): string {
  if (process.getuid?.() !== 0) return `exec prlimit --nofile=200:200 ${process.execPath} "$@"`;
  const hide = 'mount -t tmpfs -o ro none /sys/fs/cgroup';
  // Where no namespace can be made, no cgroup can be made either.
  if (spawnSync('unshare', ['-m', 'sh', '-c', hide]).status !== 0) return `exec ${process.execPath} "$@"`;
  return `exec unshare -m sh -c '${hide} && exec "$0" "$@"' ${process.execPath} "$@"`;
}

/** S0-D: execution. */
export const execution = [
  row(
    'S0.54',
    'Programs are started with an argument list and never by a shell',
    'Ran `echo` with words that a shell would expand, and `printf` with a backslash',
    async () => {
      const literal = '$(id) `id` ; id | id && * ~ $HOME';
      expect((await result('literal')).stdout).toBe(`${literal}\n`);
      expect((await result('literal', { dry_run: true })).metadata.argv).toEqual([
        expect.stringMatching(/^\/.*echo$/),
        literal,
      ]);
      return 'substitutions, pipes and patterns are printed as they are';
    },
  ),
  row(
    'S0.55',
    'The argument list is the program, flags, then `--` where it is understood, then the target',
    'Looked at the argument list of `ping`',
    async () => {
      const { argv } = (await result('ping', { target: '127.0.0.1', count: 2, dry_run: true })).metadata;
      expect(argv[0]).toMatch(/^\/.*ping$/);
      expect(argv.slice(1)).toEqual(expect.arrayContaining(['-c', '2']));
      expect(argv.slice(-2)).toEqual(['--', '127.0.0.1']);
      return 'an absolute path, `-c 2`, `--`, 127.0.0.1';
    },
  ),
  row(
    'S0.56',
    'A program is found on a fixed path at load; a missing one is `not_found`, exit code 127, with what to install; its hash is recorded',
    'Ran `absent`, and read `GET /tools/say`',
    async () => {
      const { status, json } = await run('absent');
      expect([status, json.returncode, json.error_type]).toEqual([424, 127, 'not_found']);
      expect(json.error_context.recovery_suggestion).toBe('Install no-such-program-here or add to PATH.');
      const [program] = (await result('say', { dry_run: true })).metadata.argv;
      const hash = createHash('sha256').update(readFileSync(program)).digest('hex');
      expect([program, (await info('say')).program_sha256]).toEqual([expect.stringMatching(/^\/.*echo$/), hash]);
      return '`not_found`, 127, "Install no-such-program-here or add to PATH."; the hash is that of the file that runs';
    },
  ),
  row(
    'S0.57',
    'A program sees PATH, LANG, LC_ALL and declared names only',
    'Printed the environment with a secret in that of the gateway',
    async () => {
      const { stdout } = await result('variables');
      const names = stdout
        .trim()
        .split('\n')
        .map((line: string) => line.split('=')[0])
        .filter((name: string) => name !== 'PWD');
      expect(names).toEqual(['PATH', 'LANG', 'LC_ALL', 'DECLARED']);
      expect(stdout).not.toContain('hunter2');
      return 'PATH, LANG, LC_ALL and DECLARED';
    },
  ),
  row(
    'S0.58',
    'Each run has its own session and process group',
    'Read the status line of the process itself',
    async () => {
      const own = async (): Promise<readonly string[]> => (await result('session')).stdout.split(') ')[1].split(' ');
      const [, , group, session] = await own();
      const [, , , gateway] = readFileSync(`/proc/${gate.child.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      expect([Number(session) > 0, group, session === gateway]).toEqual([true, session, false]);
      expect((await own())[3]).not.toBe(session);
      return 'a group that leads its own session, another one for each run';
    },
  ),
  ...(
    [
      ['S0.59', 'Processor time is limited to the timeout, with five seconds to end', 'CPU 20 25', '20 and 25 s'],
      ['S0.60', 'Address space is limited', `AS ${300 * 1024 * 1024} ${300 * 1024 * 1024}`, '300 MiB, as declared'],
      ['S0.61', 'Open files are limited', 'NOFILE 100 100', '100, as declared'],
      ['S0.62', 'There are no core dumps', 'CORE 0 0', '0'],
    ] as const
  ).map(([id, demand, line, seen]) =>
    row(id, demand, 'Let `limits` print its own limits', async () => {
      expect((await result('limits')).stdout).toContain(line);
      return seen;
    }),
  ),
  row(
    'S0.63',
    'A limit that cannot be set refuses the run, unless the operator chose best effort',
    'Ran a tool with a limit that this user cannot set, with and without `best_effort_sandbox`',
    async () => {
      // Root cannot limit its processes without a cgroup; any other user cannot exceed the hard limit of the gateway.
      const limit = process.getuid?.() === 0 ? '{ processes: 5 }' : '{ file_descriptors: 250 }';
      const outcome = async (effort: boolean) => {
        const place = aFolder({
          'tools/few.tool.yaml': `command: "true"\nflags: {}\ntarget: { kind: none }\nlimits: ${limit}\n`,
          'toolgate.yaml': `commands: { directories: [tools] }\nsecurity: { best_effort_sandbox: ${effort} }\n`,
          program: `#!/bin/sh\n${limitedProgram()}\n`,
        });
        chmodSync(join(place, 'program'), 0o755);
        const own = await serving(place, [], {}, join(place, 'program'));
        const { error_type: type, returncode } = await result('few', {}, own);
        return { type, returncode, logged: logged('resource_limits.failed', own).length };
      };
      expect(await outcome(false)).toEqual({ type: 'sandbox_unavailable', returncode: 1, logged: 1 });
      expect(await outcome(true)).toEqual({ type: null, returncode: 0, logged: 0 });
      return '`sandbox_unavailable` with a log line; it runs with best effort';
    },
  ),
  row(
    'S0.64',
    'The timeout is that of the request, else the configuration, else the tool, never above its maximum',
    'Read nmap with `tool.default_timeout: 120`, and ran `nap` with 1 h',
    async () => {
      const own = await aGate('tool: { default_timeout: 120, overrides: { ping: { timeout: 7 } } }\n');
      expect((await info('nmap', own)).performance.default_timeout).toBe(120);
      expect((await info('ping', own)).performance.default_timeout).toBe(7);
      expect((await info('nmap')).performance.default_timeout).toBe(600);
      expect((await info('nap', own)).performance.default_timeout).toBe(1);
      expect((await result('nap', { timeout_sec: 2 })).stderr).toBe('Process timed out after 2s');
      expect((await result('nap', { timeout_sec: 3600 })).stderr).toBe('Process timed out after 2s');
      return 'nmap 120 instead of 600, ping 7; `nap` ends after 2 s if asked for 2 s, and if asked for an hour';
    },
  ),
  row(
    'S0.65',
    'A timeout is exit code 124, ends the whole process tree and returns what was printed',
    'Let `spread`, which prints a line and then waits in a process of another session, run into its limit',
    async () => {
      const word = join(folder, 'begun.txt');
      const call = result('spread');
      await expect.poll(() => processesNamed(word).length).toBeGreaterThan(1);
      expect(await call).toMatchObject({
        returncode: 124,
        timed_out: true,
        error_type: 'timeout',
        stdout: 'begun\n',
        stderr: 'Process timed out after 1s',
      });
      await expect.poll(() => processesNamed(word)).toEqual([]);
      return '124, `timeout`, "Process timed out after 1s", the line that was printed, no process left';
    },
  ),
  row(
    'S0.66',
    'Each tool has slots and a bounded queue; beyond it `busy` with a time to retry',
    'Ran `nap` (two slots, no queue) three times at once',
    async () => {
      const three = await Promise.all([run('nap'), run('nap'), run('nap')]);
      const types = three.map(({ json }) => json.error_type).toSorted();
      expect(types).toEqual(['busy', 'timeout', 'timeout']);
      const refused = three.find(({ json }) => json.error_type === 'busy');
      expect([refused?.status, Number(refused?.headers.get('retry-after')) > 0]).toEqual([503, true]);
      const own = await aGate('tool: { queue_length: 2, default_concurrency: 1 }\nrate_limit: { requests: 100 }\n');
      const queued = await Promise.all(Array.from({ length: 3 }, () => result('doze', { timeout_sec: 1 }, own)));
      expect(queued.map((each) => each.error_type)).toEqual(['timeout', 'timeout', 'timeout']);
      expect((await info('nmap')).performance.concurrency).toBe(1);
      expect((await info('ping')).performance.concurrency).toBe(5);
      return 'two ran, the third was `busy` with Retry-After; with a queue of two all three run; nmap has 1 slot, ping 5';
    },
  ),
  row(
    'S0.67',
    'Output is counted while it streams and cut at the limit, which is marked',
    'Ran `yes` with a limit of 4096 bytes',
    async () => {
      const cut = await result('flood');
      expect([cut.stdout.length, cut.truncated_stdout, cut.error_type]).toEqual([4096, true, 'output_limit']);
      return '4096 bytes, `truncated_stdout`, `output_limit`';
    },
  ),
  row(
    'S0.68',
    'Bytes that are not UTF-8 are replaced, terminal escapes removed',
    'Printed the byte 377 and a colour',
    async () => {
      expect((await result('bytes')).stdout).toBe('a\ufffdbred');
      return '"a\ufffdbred"';
    },
  ),
  row(
    'S0.69',
    'nmap gets pace, parallelism and ports only where they are absent, and the result names them',
    'Dry runs with and without own values',
    async () => {
      expect((await scan({})).metadata.optimizations_applied).toEqual(
        expect.arrayContaining(['-T4', '--max-parallelism 10', '--top-ports 1000']),
      );
      const own = (await scan({ timing: 2, ports: '80', max_parallelism: 3 })).metadata;
      expect(own.optimizations_applied.join(' ')).not.toMatch(/-T|--top-ports|--max-parallelism/);
      return '-T4, --max-parallelism 10, --top-ports 1000; none of them if given';
    },
  ),
  row(
    'S0.70',
    'A network above 1024 addresses is refused with its size, the limit and what would fit',
    'Sent 192.168.1.0/16 to nmap',
    async () => {
      const { error, error_context: context } = await result('nmap', { target: '192.168.1.0/16' });
      expect(error).toContain('Network too large: 65536 hosts (max: 1024)');
      expect(context.recovery_suggestion).toContain('Use /22 or smaller');
      expect(context.metadata).toMatchObject({
        network_size: 65_536,
        max_allowed: 1024,
        suggested_cidr: expect.stringContaining('/22'),
      });
      return '"Network too large: 65536 hosts (max: 1024)", "Use /22 or smaller"';
    },
  ),
  row(
    'S0.71',
    'nmap has the flags of the founding document; its report goes to standard output only; files, lists, spoofing and script arguments are refused',
    'Sent every flag of the document',
    async () => {
      for (const flag of ['-sT', '-sn', '-sV', '-sC', '-p 80', '--top-ports 10', '-T3', '-Pn', '--ttl 64'])
        expect((await scan({ extra_args: flag })).error).toBe(null);
      for (const flag of [
        '-oX f',
        '-oN f',
        '-oG f',
        '-iL f',
        '--script-args x=1',
        '-d',
        '-D 1.1.1.1',
        '-S 1.1.1.1',
        '-g 53',
        '-f',
        '--spoof-mac 0',
      ])
        expect((await scan({ extra_args: flag })).error_type).toBe('validation_error');
      expect((await scan({})).metadata.argv.join(' ')).toContain('-oX -');
      expect((await scan({ syn_discovery: '22,80', ack_discovery: '80' })).metadata.argv).toEqual(
        expect.arrayContaining(['-PS22,80', '-PA80']),
      );
      return 'eleven flags pass, eleven are refused; the report is `-oX -`';
    },
    { decision: '0125' },
  ),
  row(
    'S0.72',
    'There is no curl: `http_fetch` goes through the egress guard; the ports are a setting',
    'Fetched from a server on this machine with the port closed and open, also by the name CurlTool',
    async () => {
      const server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo; // an address, since it listens on one
      const url = `http://127.0.0.1:${port}/`;
      const open = await serving(aFolder({ 'toolgate.yaml': `commands: { http_fetch: { ports: [${port}] } }\n` }));
      expect((await result('http_fetch', { url })).error).toContain(`port ${port} is not allowed`);
      expect((await result('CurlTool', { target: url }, open)).structured_content).toMatchObject({
        status: 200,
        body: 'hello',
      });
      server.close();
      return 'refused with 80 and 443 only; 200 "hello" with the port in `commands.http_fetch.ports`';
    },
    { decision: '0125' },
  ),
  row(
    'S0.73',
    'Templates quick, standard, thorough, discovery, version and script are an argument',
    'Dry runs of each',
    async () => {
      const words = async (template: string) => (await scan({ template })).metadata.argv.join(' ');
      expect(await words('quick')).toMatch(/--top-ports 100 -T4/);
      expect(await words('standard')).toMatch(/-sV/);
      expect(await words('thorough')).toMatch(/-p 1-65535/);
      expect(await words('discovery')).toMatch(/-sn/);
      expect(await words('version')).toMatch(/-sV.*--version-intensity 5/);
      expect(await words('script')).toMatch(/--script/);
      return 'six templates with their flags';
    },
  ),
  row(
    'S0.74',
    'nmap returns hosts and ports as data of a declared shape',
    'Scanned a port of this machine',
    async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo; // as above
      const scanned = await result('nmap', { target: '127.0.0.1', ports: String(port), skip_discovery: true });
      server.close();
      expect(scanned.metadata.parsed).toMatchObject({ hosts_up: 1 });
      const found = JSON.stringify(scanned.metadata.parsed.ports_found);
      expect(JSON.parse(found)).toMatchObject([{ port, protocol: 'tcp', state: 'open' }]);
      expect(
        (await info('nmap')).output_schema.properties.metadata.properties.parsed.properties.hosts_up,
      ).toBeDefined();
      return 'one host up, the open port with protocol and state; the shape is in `outputSchema`';
    },
  ),
  row(
    'S0.75',
    'Output that is JSON is `metadata.json`; declared XML is `metadata.xml` and expands nothing',
    'Printed JSON, declared XML, undeclared XML and an entity',
    async () => {
      expect((await result('json')).metadata.json).toEqual({ a: 1 });
      expect((await result('markup')).metadata.xml).toMatchObject({
        name: 'a',
        attributes: { b: '1' },
        children: [{ name: 'c', text: 't' }],
      });
      expect((await result('markup_undeclared')).metadata.xml).toBeUndefined();
      expect((await result('entity')).metadata.xml).toBeUndefined();
      return '`json` and `xml`; nothing for undeclared XML and for a document with an entity';
    },
  ),
  row('S0.76', 'A tool may add parsed data and a summary', 'Pinged this machine', async () => {
    const { metadata } = await result('ping', { target: '127.0.0.1', count: 1 });
    expect(metadata.parsed.received).toBe(1);
    expect(metadata.summary).toEqual(expect.any(String));
    return 'one reply in `parsed`, and a `summary`';
  }),
];
