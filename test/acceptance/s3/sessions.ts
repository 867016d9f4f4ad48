import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually, processesNamed } from '../../support/processes.js';
import { aPlace, toolgate } from '../../support/toolgate.js';
import { httpClient } from '../mcp-client.js';
import { row } from '../row.js';
import { aGate, aRemote, entry, far, gate, mark, place, run, text } from './world.js';

const callsTo = (method: string): number => far.requests.filter(({ rpc }) => rpc.method === method).length;
const pins = (id: string) => JSON.parse(readFileSync(join(place, `home/pins/${id}.json`), 'utf8'));

/** Variables of the shared configuration, as another shell has them. */
const variables = { FIX_TOKEN: 'x', FAR_KEY: 'y' };

/** Connections, calls and failures. */
export const sessions = [
  row(
    'S3.1',
    'A server is a local process or a remote one',
    'Called a tool of a local server and one of a remote server through the same gateway',
    async () => {
      expect(await text('fix__echo', { text: 'near' })).toContain('near');
      expect(await text('far__tool1', { text: 'distant' })).toContain('distant');
      return 'both answer';
    },
  ),
  row(
    'S3.6',
    'A local server is kept by default, with an idle time, an age, a number of calls and a pool per caller; one per call on request',
    'Counted calls in the server: kept, limited to two calls, and transient; read the settings',
    async () => {
      const counts = async (tool: string) =>
        [await text(tool), await text(tool), await text(tool)].map((each) => /\d+/.exec(each)?.[0]);
      expect(await counts('fix__count')).toEqual(['1', '2', '3']);
      expect((await counts('two__count')).every((each) => Number(each) <= 2)).toBe(true);
      expect(await counts('once__count')).toEqual(['1', '1', '1']);
      const { sources } = (await gate.send('/config')).json;
      expect(sources.fix).toMatchObject({
        lifecycle: 'singleton',
        idle_seconds: 300,
        max_age_seconds: 86_400,
        sharing: 'principal',
      });
      return '1, 2, 3 if kept; never more than 2 with `max_calls: 2`; 1, 1, 1 if transient';
    },
    { decision: '0211' },
  ),
  row(
    'S3.10',
    'A transient server is ended after its call, also on an error and on a timeout',
    'Called tools that succeed, fail, crash and hang, and looked for its processes',
    async () => {
      const calls = [
        ['echo', { text: 'x' }],
        ['error', {}],
        ['crash', {}],
        ['hang', {}],
      ] as const;
      for (const [tool, body] of calls) {
        await run(`once__${tool}`, body);
        await eventually(
          () => processesNamed(`${mark}-once`).length,
          (left) => left === 0,
          20_000,
        );
        expect(processesNamed(`${mark}-once`), tool).toEqual([]);
      }
      return 'no process is left after any of them';
    },
  ),
  row(
    'S3.11',
    'A kept server is started once, reused, and ended with the gateway',
    'Called it twice, then stopped its gateway',
    async () => {
      const word = `${mark}-kept`;
      const own = await aGate(`  kept: ${entry(['--mark', word])}\n`);
      await run('kept__echo', { text: 'x' }, own);
      const before = processesNamed(word);
      await run('kept__echo', { text: 'x' }, own);
      expect([before.length > 0, processesNamed(word)]).toEqual([true, before]);
      expect(await own.stop()).toBe(0);
      await eventually(
        () => processesNamed(word).length,
        (left) => left === 0,
      );
      expect(processesNamed(word)).toEqual([]);
      return 'the same process serves both calls and is gone after the stop';
    },
  ),
  row(
    'S3.13',
    'Variables are resolved at the start; all that are missing are named and nothing is started; secrets are masked',
    'Started a server with three missing variables; let a server print its token',
    async () => {
      const word = `${mark}-missing`;
      const own = await aGate(
        `  needy: ${entry(['--mark', word], ', required_env: [NEED_A, NEED_B, NEED_C], env: { NEED_B: x }')}\n`,
        {},
        'rate_limit: { requests: 1000 }\n',
      );
      expect(own.banner).toContain('needs NEED_A, NEED_C, which are not set');
      expect(processesNamed(word)).toEqual([]);
      const crashed = await run('fix__crash');
      expect(crashed.json).toMatchObject({
        error_type: 'execution_error',
        error: expect.stringContaining('about to crash'),
      });
      const printed = await text('fix__env');
      expect(printed).toContain('TOKEN');
      expect(crashed.text + printed + gate.log()).not.toContain('hunter2-secret-value');
      return 'both missing names and no process; the token is masked in the result, the error and the log';
    },
  ),
  row('S3.14', 'Only declared variables reach a local server', 'Let a server print its environment', async () => {
    const names = Object.keys(JSON.parse(/\{[^]*\}/.exec(await text('fix__env'))?.[0] ?? '{}'));
    expect(names).toEqual(expect.arrayContaining(['PATH', 'TOKEN', 'UNIT']));
    expect(names.filter((name) => /SECRET|FAR_KEY|TOOLGATE/.test(name))).toEqual([]);
    return '`PATH` and the declared ones; nothing of the gateway';
  }),
  row(
    'S3.15',
    'A remote server gets headers from secret references, or a token by OAuth 2.1',
    'Read the headers that the remote server got',
    async () => {
      await run('far__tool1', { text: 'x' });
      expect(far.requests.at(-1)?.headers['x-key']).toBe('far-key-value');
      expect(JSON.stringify((await gate.send('/config')).json)).not.toContain('far-key-value');
      return 'the header has the value of the variable, and `GET /config` only its name';
    },
    { unit: { reason: 'OAuth needs an authorization server', test: 'src/sources/mcp/oauth/oauth.test.ts' } },
  ),
  row(
    'S3.16',
    'A remote server gets JSON-RPC by POST: initialize, tools/list and tools/call; streams carry its own messages',
    'Called a tool of the remote server and read the methods that it got',
    async () => {
      expect(await text('far__tool1', { text: 'by post' })).toContain('by post');
      const posted = new Set(far.requests.filter(({ method }) => method === 'POST').map(({ rpc }) => rpc.method));
      expect([...posted]).toEqual(
        expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']),
      );
      expect(far.requests.some(({ method }) => method === 'GET')).toBe(true);
      return 'all three by POST, and a GET for its messages';
    },
  ),
  row(
    'S3.17',
    'Connecting returns the identity of the server; disconnecting twice is disconnecting once',
    'Read the recorded name and version of both servers',
    () => {
      expect([pins('fix').server, pins('far').server]).toEqual([
        { name: 'fixture', version: '1.2.3' },
        { name: 'far', version: '4.5.6' },
      ]);
      return '`fixture` 1.2.3 and `far` 4.5.6';
    },
    {
      unit: {
        reason: 'a second disconnect has no effect outside',
        test: 'src/sources/mcp/channels/remote-channel.test.ts',
      },
    },
  ),
  row(
    'S3.18',
    'Remote and kept connections come from a pool; transient ones are new',
    'Called each three times, and counted greetings and processes',
    async () => {
      await run('far__tool1', { text: 'x' });
      const before = callsTo('initialize');
      for (let count = 0; count < 3; count += 1) await run('far__tool1', { text: 'x' });
      expect(callsTo('initialize')).toBe(before);
      expect([await text('once__count'), await text('once__count')].map((each) => /\d+/.exec(each)?.[0])).toEqual([
        '1',
        '1',
      ]);
      return 'no further greeting of the remote server; every transient call has a new process';
    },
  ),
  row(
    'S3.19',
    'Over pipes answers are matched by id, concurrently; noise and notifications disturb nothing; a crash shows the end of stderr',
    'Called twenty times at once, a server that writes noise, one that floods notifications, and one that crashes',
    async () => {
      const words = Array.from({ length: 20 }, (_, index) => `word-${index}-`);
      const answers = await Promise.all(words.map((word) => text('fix__echo', { text: word })));
      expect(answers.every((answer, index) => answer.includes(words[index] ?? ''))).toBe(true);
      expect(await text('noisy__echo', { text: 'still here' })).toContain('still here');
      expect(await text('noisy__flood')).toContain('flooded');
      expect((await run('noisy__crash')).json.error).toContain('stderr: ');
      expect(await text('noisy__echo', { text: 'again' })).toContain('again');
      return 'twenty answers, each to its own call; noise and 5000 notifications do no harm; the crash shows its stderr';
    },
  ),
  row(
    'S3.20',
    'Over HTTP the session and the revision are sent, and a stream is read up to the answer',
    'Read the headers of a call, whose answer follows a notification in the same stream',
    async () => {
      expect(await text('far__tool2', { text: 'after the note' })).toContain('after the note');
      const { headers } = far.requests.filter(({ rpc }) => rpc.method === 'tools/call').at(-1) ?? { headers: {} };
      expect(headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-06-18' });
      return 'both headers, and the answer behind the notification';
    },
  ),
  row(
    'S3.21',
    'Registering a source lists its tools at once, page by page with whole schemas; a refresh can be asked for',
    'Read the tools of the remote server, whose list has three pages; asked for a refresh',
    async () => {
      const { tools } = (await gate.send('/tools')).json;
      const own = tools.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('far__'));
      expect(own).toEqual(['far__tool1', 'far__tool2', 'far__tool3']);
      const ask = await httpClient(gate, '2025-11-25');
      const listed = (await ask('tools/list')).result.tools.find(({ name }: { name: string }) => name === 'far__tool1');
      expect(listed.inputSchema).toMatchObject({
        properties: { text: { type: 'string', minLength: 1 } },
        required: ['text'],
      });
      const before = callsTo('tools/list');
      expect((await toolgate(place, ['sources', 'refresh', 'far'], variables)).code).toBe(0);
      await eventually(
        () => callsTo('tools/list'),
        (count) => count > before,
      );
      expect(callsTo('tools/list')).toBeGreaterThan(before);
      return 'three tools of three pages with their schemas; `sources refresh` lists them again';
    },
    { decision: '0211' },
  ),
  row(
    'S3.22',
    'Tools that a server no longer offers go, changed ones are noticed by a hash, and the inventory is stored',
    'Let a server add a tool while it runs; read the stored inventory',
    async () => {
      await run('fix__change');
      await eventually(async () => (await gate.send('/tools')).text.includes('fix__added_1'), Boolean);
      const found = Object.entries<{ hash: string }>(pins('fix').pins);
      expect(found.filter(([key]) => key.startsWith('tool ')).length).toBeGreaterThan(20);
      expect(found.every(([, { hash }]) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
      // The tool exists in one process only; the next one lists the tools without it.
      await run('fix__crash');
      await eventually(
        async () => (await run('fix__echo', { text: 'x' })).status,
        (status) => status === 200,
        30_000,
      );
      expect((await toolgate(place, ['sources', 'refresh', 'fix'], variables)).code).toBe(0);
      await eventually(async () => !(await gate.send('/tools')).text.includes('fix__added_1'), Boolean, 30_000);
      expect((await gate.send('/tools')).text).not.toContain('fix__added_1');
      return 'the new tool appears and goes again; every definition has a hash';
    },
    { decision: '0050' },
  ),
  row(
    'S3.23',
    'A call resolves variables, takes a connection and ends in its time with success, content, error and duration; texts are joined by line breaks',
    'Called a tool with two text blocks, and one that reports an error',
    async () => {
      const { json } = await run('far__tool1', { text: 'one' });
      expect(json).toMatchObject({ returncode: 0, error: null, execution_time: expect.any(Number) });
      expect(json.stdout).toContain('one\ntwo');
      expect((await run('fix__error')).json).toMatchObject({
        error: expect.stringContaining('it broke'),
        error_type: 'execution_error',
      });
      return '`one` and `two` on two lines with return code 0 and a duration; the error of the tool as `execution_error`';
    },
    { decision: '0211' },
  ),
  row(
    'S3.24',
    'A lost connection, a broken protocol and a passed deadline are different errors',
    'Called a remote server that is gone, that answers HTML, that answers 500, and that does not answer',
    async () => {
      const remote = await aRemote();
      const own = await aGate(
        `  far: { kind: mcp, url: '${remote.base}/mcp', timeout: 2 }\n`,
        {},
        'commands: { builtins: false }\ncircuit_breaker: { failure_threshold: 10 }\n',
      );
      const failing = async (body: Record<string, unknown> = {}) => {
        const { json } = await run('far__tool1', { text: 'x', ...body }, own);
        expect(JSON.stringify(json)).not.toContain('hange the arguments');
        return [json.error_type, json.error];
      };
      remote.mode = 'html';
      expect(await failing()).toEqual(['network_error', expect.stringMatching(/answered with/)]);
      remote.mode = 'error';
      expect(await failing()).toEqual(['network_error', expect.stringContaining('status 500')]);
      remote.mode = 'mute';
      expect(await failing({})).toEqual(['timeout', expect.stringContaining('did not answer in time')]);
      await remote.close();
      expect(await failing()).toEqual([
        'network_error',
        expect.stringMatching(/cannot be reached|connection was closed/),
      ]);
      return '`network_error` with the reason (HTML, status 500, not reached) and `timeout`; none advises to change the arguments';
    },
    { decision: '0091' },
  ),
  row(
    'S3.25',
    'A failed connection is retried and marks the source; a timeout cancels at the server; a crash restarts at the next call',
    'Killed a remote server and called it until its breaker opened, then started it again; let a local call time out and another crash',
    async () => {
      const remote = await aRemote();
      const port = Number(new URL(remote.base).port);
      const own = await aGate(
        `  far: { kind: mcp, url: '${remote.base}/mcp', timeout: 2 }\n`,
        {},
        'commands: { builtins: false }\nrate_limit: { requests: 1000 }\ncircuit_breaker: { failure_threshold: 3, recovery_timeout: 30, jitter: 0 }\n',
      );
      expect((await run('far__tool1', { text: 'x' }, own)).status).toBe(200);
      await remote.close();
      const types: string[] = [];
      for (let count = 0; count < 4; count += 1)
        types.push((await run('far__tool1', { text: 'x' }, own)).json.error_type);
      expect(types).toEqual(['network_error', 'network_error', 'network_error', 'circuit_breaker_open']);
      expect((await own.send('/health')).json.checks['tool_far__tool1'].status).toBe('degraded');
      const listed = await toolgate(
        aPlace({
          'toolgate.yaml': `commands: { builtins: false }\nsources: { far: { kind: mcp, url: '${remote.base}/mcp' } }\n`,
        }),
        ['sources', 'list'],
      );
      expect(listed.out).toMatch(/far +retrying in \d+ s/);
      await aRemote(port);
      await own.send('/tools/far__tool1/breaker/reset', { method: 'POST' });
      await eventually(
        async () => (await run('far__tool1', { text: 'x' }, own)).status,
        (status) => status === 200,
        60_000,
      );
      expect((await run('fix__hang', {})).json.error_type).toBe('timeout');
      expect(await text('fix__cancelled')).toContain('1');
      expect((await run('fix__crash')).status).toBe(502);
      await eventually(
        async () => (await run('fix__echo', { text: 'back' })).status,
        (status) => status === 200,
        30_000,
      );
      expect(await text('fix__echo', { text: 'back' })).toContain('back');
      return 'three failures, then the open breaker; unhealthy while down and well after its return; the server receives the cancellation, and a crashed one is started again';
    },
  ),
  row(
    'S3.26',
    'A registration becomes one immutable entry of the configuration; whether it is remote follows from it',
    'Read the entries of a local and a remote source with `GET /config`',
    async () => {
      const { sources } = (await gate.send('/config')).json;
      expect(sources.fix).toMatchObject({
        kind: 'mcp',
        command: process.execPath,
        lifecycle: 'singleton',
        env: { UNIT: expect.any(String) },
      });
      expect([sources.fix.url, typeof sources.far.url, sources.far.command]).toEqual([undefined, 'string', undefined]);
      return 'command, life and variables of one, URL of the other; only the URL makes it remote';
    },
    { unit: { reason: 'immutability is a property of the loaded object', test: 'src/config/load.test.ts' } },
  ),
  row(
    'S3.29',
    'Packages are named with an exact version, recorded with their integrity, and run in a sandbox; others are refused',
    'Ran `check` on packages without an exact version; read the sandbox of a local server',
    async () => {
      for (const name of ['@x/files', '@x/files@latest', '@x/files@^1.0.0']) {
        const checked = await toolgate(
          aPlace({ 'toolgate.yaml': `sources: { x: { kind: mcp, runtime: npx, package: '${name}' } }\n` }),
          ['check'],
        );
        expect([checked.code, /must name a version/.test(checked.out + checked.err)], name).toEqual([1, true]);
      }
      expect((await toolgate(place, ['sources', 'test', 'fix'], variables)).out).toContain('bwrap guarded');
      expect(readdirSync(place)).toContain('toolgate.lock.json');
      return 'no version, `latest` and a range are refused; local servers run in bwrap; the lock file is beside the configuration';
    },
    { unit: { reason: 'an installation needs a registry', test: 'test/e2e/npm-servers.test.ts' } },
  ),
];
