import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { processes, resolveProgram } from '../../src/processes/index.js';
import { eventually, processesNamed } from '../support/processes.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const places: { serversVenv: string; serversPython: string; uv: string } = await import(file('clients/places.mjs'));
const hasPython = existsSync(places.serversPython);
const hasUv = existsSync(places.uv) && (await resolveProgram('python3')).kind === 'program';
if (!hasPython || !hasUv)
  console.log('skipped: the Python servers are not installed; node test/clients/install.mjs brings them');

// Servers of others get no network where this machine can keep it from them.
const probe = processes();
const tier = (await probe.tiers()).bwrap.available ? 'bwrap' : 'prlimit';
await probe.close();

const own = /^(?:uv_.*|ssl_cert_(?:file|dir)|npm_config_.*|https?_proxy|no_proxy)$/i;
const env = {
  HOME: process.env['HOME'] ?? '/',
  UV: places.uv,
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => own.test(name))),
} as Record<string, string>;
const readable = hasPython
  ? [places.serversVenv, dirname(dirname(realpathSync(places.serversPython))), file('support')]
  : [];
const head = 'commands: { builtins: false }\nrate_limit: { requests: 1000 }\nsources:\n';
const entry = (id: string, args: readonly string[], more = ''): string =>
  `  ${id}: { kind: mcp, command: ${places.serversPython}, args: ${JSON.stringify(args)}, startup_budget: 90, connect_timeout: 90, sandbox: { tier: ${tier}, readable: ${JSON.stringify(readable)}${more} } }\n`;

describe.skipIf(!hasPython)('servers in Python', () => {
  test('those of the SDK, of FastMCP and from PyPI stand behind one gateway [S3.29]', async () => {
    const place = aPlace();
    const repository = join(place, 'repository');
    execFileSync('git', ['init', '-q', repository]);
    writeFileSync(join(repository, 'new.txt'), 'x');
    const scripts = ['mcp', 'fastmcp']
      .map((name) => entry(name, [file(`support/upstream/python_${name}_server.py`)]))
      .join('');
    writeFileSync(
      join(place, 'toolgate.yaml'),
      `${head}${scripts}${entry('time', ['-m', 'mcp_server_time', '--local-timezone=Etc/UTC'])}${entry('git', ['-m', 'mcp_server_git', '--repository', repository], `, writable: [${repository}]`)}`,
    );
    const gate = await serving(place, [], env);
    const call = async (tool: string, body: object): Promise<string> => {
      const answer = await gate.send(`/tools/${tool}/execute`, { body });
      expect(answer.status, answer.text).toBe(200);
      return answer.text;
    };
    // Both scripts offer the same resource; whoever came first has it, and the other's absence is told.
    expect(gate.banner.match(/withheld.*/g)).toEqual(['withheld   resource note://one: it is taken by source mcp']);
    for (const id of ['mcp', 'fastmcp']) expect(await call(`${id}__add`, { a: 19, b: 23 })).toContain('42');
    expect(await call('time__get_current_time', { timezone: 'Etc/UTC' })).toContain('Etc/UTC');
    expect(await call('git__git_status', { repo_path: repository })).toContain('new.txt');
    const health = await gate.send('/health');
    expect(health.json.checks.admission.status).toBe('healthy');
    await gate.stop();
    const listed = await toolgate(place, ['sources', 'list'], env);
    for (const id of ['mcp', 'fastmcp'])
      expect(listed.out).toMatch(
        new RegExp(`^${id} +ready +1 tool\\n +sandbox .*\\n +admission +allow, 1 tool in its code$`, 'm'),
      );
    expect(listed.out).toMatch(/^time +ready +2 tools\n +sandbox .*\n +admission +allow, 2 tools in its code$/m);
    expect(listed.out).toMatch(/^git +ready +12 tools\n +sandbox .*\n +admission +allow, 12 tools in its code/m);
    expect(processesNamed(place)).toEqual([]);
  }, 240_000);
});

describe.skipIf(!hasUv)('packages from PyPI by uvx', () => {
  const spec = 'mcp-server-time==2026.10.19';
  // Installed once for all runs of the tests.
  const kept = file('../node_modules/.cache/toolgate-servers/pypi');
  const packages = (place: string): string => join(place, 'home/packages/pypi');
  const keep = (place: string): void => {
    if (existsSync(packages(place)))
      cpSync(packages(place), kept, { recursive: true, force: false, filter: (path) => !path.includes('/pypi/cache') });
  };
  /** Where the registry cannot be reached there is nothing to test. */
  const unreachable = (text: string): boolean =>
    text.includes('uv could not install') && /connect|resolve|dns|network|timed out|fetch/i.test(text);
  const entryOf = (more = ''): string =>
    `  time: { kind: mcp, runtime: uvx, package: ${spec}, args: [--local-timezone=Etc/UTC], startup_budget: 240, connect_timeout: 90, sandbox: { tier: ${tier} }${more} }\n`;
  const aPlaceWith = (config: string): string => {
    const place = aPlace({ 'toolgate.yaml': config });
    mkdirSync(packages(place), { recursive: true });
    if (existsSync(kept)) cpSync(kept, packages(place), { recursive: true });
    return place;
  };
  const all: string[] = [];
  afterAll(() => expect(all.flatMap((place) => processesNamed(place))).toEqual([]));

  test('are installed without being run, locked with hashes, read, called, and refused where they drift [CVE-2026-30623 and its family]', async () => {
    const place = aPlaceWith(`${head}${entryOf()}`);
    all.push(place);
    const listed = await toolgate(place, ['sources', 'list'], env);
    if (unreachable(listed.out)) return console.log('skipped: the Python registry cannot be reached');
    expect(listed.out).toMatch(/^time +ready +2 tools\n +sandbox .*\n +admission +allow, 2 tools in its code$/m);
    keep(place);
    expect((await toolgate(place, ['call', 'time__get_current_time', 'timezone=Etc/UTC'], env)).out).toContain(
      'Etc/UTC',
    );

    const lock = join(place, 'toolgate.lock.json');
    const locked = JSON.parse(readFileSync(lock, 'utf8'));
    const own = locked.packages[`pypi:${spec}`];
    expect(own).toMatchObject({
      integrity: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      packages: { [spec]: expect.arrayContaining([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]) },
    });
    expect(Object.keys(own.packages).length).toBeGreaterThan(5);
    expect(JSON.stringify(locked)).not.toContain('://');
    expect(locked.surfaces[`pypi:${spec}`]).toMatch(/^[0-9a-f]{64}$/);
    own.packages[spec] = [`sha256:${'0'.repeat(64)}`];
    writeFileSync(lock, JSON.stringify(locked));
    expect((await toolgate(place, ['tools'], env)).out).toContain(`${spec} is not the package that was locked`);
    own.packages['--index-url=http://127.0.0.1:1'] = [];
    writeFileSync(lock, JSON.stringify(locked));
    const fresh = join(place, 'other');
    expect((await toolgate(place, ['tools'], { ...env, TOOLGATE_HOME: fresh })).out).toContain(
      'the lock entry of mcp-server-time==2026.10.19 is not valid',
    );
  }, 300_000);

  test('leave no process behind when the gateway is killed', async () => {
    const place = aPlaceWith(`commands: { builtins: true }\nsources:\n${entryOf()}`);
    all.push(place);
    const gate = await serving(place, [], env);
    if (unreachable(gate.banner)) return console.log('skipped: the Python registry cannot be reached');
    keep(place);
    expect(processesNamed(packages(place)).length).toBeGreaterThan(0);
    gate.child.kill('SIGKILL');
    await eventually(
      () => processesNamed(packages(place)).length,
      (left) => left === 0,
    );
  }, 300_000);

  test('the example serves a real npm server and a real Python server', async () => {
    const example = readFileSync(file('../examples/upstream/toolgate.yaml'), 'utf8');
    const place = aPlaceWith(example);
    all.push(place);
    const npm = file('../node_modules/.cache/toolgate-servers/npm');
    if (existsSync(npm)) cpSync(npm, join(place, 'home/packages/npm'), { recursive: true, verbatimSymlinks: true });
    const listed = await toolgate(place, ['tools'], env);
    if (unreachable(listed.out) || listed.out.includes('npm could not install'))
      return console.log('skipped: a registry cannot be reached');
    expect(listed.out).toMatch(/^memory__read_graph +ready/m);
    expect(listed.out).toMatch(/^time__get_current_time +ready/m);
    expect((await toolgate(place, ['call', 'time__get_current_time', 'timezone=Etc/UTC'], env)).out).toContain(
      'Etc/UTC',
    );
  }, 300_000);
});
