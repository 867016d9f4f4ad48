import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { clockedGate } from '../../support/clocked.js';
import { serving, toolgate } from '../../support/toolgate.js';
import { aFolder } from '../folder.js';
import { httpClient, type Loose } from '../mcp-client.js';
import { row } from '../row.js';
import { aService, at, bad, check, dead, gate, good, got, head, run, state } from './world.js';

const sender = 'src/sources/http/sender.test.ts';
/** A gateway whose clocks can be moved, with a function that fails or hangs on demand. */
async function moodyGate() {
  const own = await clockedGate(
    aFolder({ 'toolgate.yaml': `${head}mcp_tools: { moody: { url: "${at(bad, '/moody')}", timeout: 5 } }\n` }),
    70,
  );
  const requests = () => bad.requests.filter(({ url }) => url === '/moody').length;
  const call = async (fails: boolean): Promise<string | null> => {
    state.fails = fails;
    return (await run('moody', {}, own)).json.error_type;
  };
  const times = async (count: number, fails: boolean) => {
    const types = [];
    for (let turn = 0; turn < count; turn += 1) types.push(await call(fails));
    return types;
  };
  return { own, requests, call, times };
}
const refused = async (text: string, problem: string): Promise<void> => {
  const { code, out, err } = await check(text);
  expect([code, out + err]).toEqual([1, expect.stringContaining(problem)]);
};

/** Functions over HTTP. */
export const functions = [
  row(
    'S2.1',
    'A function is called by POST with its name and arguments in JSON; the JSON that comes back is the output',
    'Called one',
    async () => {
      const { json } = await run('weather', { city: 'Bonn' });
      expect(good.requests.at(-1)).toMatchObject({ method: 'POST', url: '/fn' });
      expect(got(good)).toEqual({ function: 'get_weather', args: { city: 'Bonn', units: 'metric' } });
      expect(json.structured_content.output).toEqual({ got: { city: 'Bonn', units: 'metric' } });
      return '`{"function":"get_weather","args":{…}}`, and its JSON as output';
    },
  ),
  row('S2.2', 'A function has a name, an address, headers and a time limit', 'Called functions with each', async () => {
    await run('weather', { city: 'Bonn' });
    expect(good.requests.at(-1)?.headers['x-key']).toBe('fn-secret-7c21e9');
    expect((await run('slow')).json.error).toContain('timed out');
    return 'the header arrives, and the time limit of one second ends a call';
  }),
  row(
    'S2.3',
    'The host of an address is one of the allowed domains or below one, in any spelling; addresses, ports, schemes and redirects are vetted too',
    'Checked files with five addresses, and called a function that redirects',
    async () => {
      for (const [url, problem] of [
        [
          'http://api.example.com/',
          "MCP URL host 'api.example.com' not in allowed domains: ['localhost', '127.0.0.1']",
        ],
        ['http://evil-localhost/', 'not in allowed domains'],
        ['http://localhost@evil.example/', 'must not contain a user name'],
        ['file:///etc/passwd', 'must begin with http:// or https://'],
      ] as const)
        await refused(`mcp_tools: { f: { url: "${url}" } }\n`, problem);
      expect((await check('mcp_tools: { f: { url: "http://LOCALHOST.:1/" } }\n')).code).toBe(0);
      expect((await run('moved')).json.error_type).not.toBe(null);
      expect(bad.requests.at(-1)?.url).toBe('/moved');
      return 'four are refused by name, `LOCALHOST.` is accepted, and the redirect is not followed to another entry';
    },
  ),
  row(
    'S2.4',
    'The domain * works only with an explicit insecure switch and is an error otherwise',
    'Checked with MCP_ALLOWED_DOMAINS=*',
    async () => {
      const place = aFolder({ 'toolgate.yaml': 'mcp_tools: { f: { url: "http://any.example/" } }\n' });
      const env = { MCP_ALLOWED_DOMAINS: '*' };
      expect(await toolgate(place, ['check'], env)).toMatchObject({
        code: 1,
        err: expect.stringContaining('contains *'),
      });
      expect((await toolgate(place, ['tools', '--insecure-dev'], env)).code).toBe(0);
      return 'refused; accepted with `--insecure-dev`';
    },
  ),
  row(
    'S2.5',
    'A reply above the limit is an error; decoded bytes are counted while they stream, and unpacking is bounded',
    'Called a function that sends 200 KB with a limit of 100 KB',
    async () => {
      const { json } = await run('big');
      expect([json.error_type === null, json.error]).toEqual([
        false,
        expect.stringMatching(/100,?000|too large|limit/i),
      ]);
      return 'an error that names the limit';
    },
    { unit: { reason: 'unpacking is seen at the socket', test: 'src/net/egress/egress-limits.test.ts' } },
  ),
  row(
    'S2.6',
    'A call that may be repeated has three attempts unless configured, never less than one',
    'Called a function that fails once, and checked `retries: 0`',
    async () => {
      expect((await run('again')).json.error).toBeNull();
      expect(bad.requests.filter(({ url }) => url === '/flaky')).toHaveLength(2);
      expect((await check('outbound: { retries: 0 }\n')).out).toContain('0 is out of range 1 to 10; using 1');
      return 'the second attempt succeeds; 0 is taken as 1, with a note';
    },
  ),
  row(
    'S2.7',
    'An attempt has ten seconds unless configured',
    'Read the effective configuration, and let a function hang with `MCP_TIMEOUT_SECONDS=1`',
    async () => {
      expect((await gate.send('/config')).json.outbound.timeout).toBe(10);
      const place = aFolder({ 'toolgate.yaml': `${head}mcp_tools: { slow: { url: "${at(bad, '/hang')}" } }\n` });
      const own = await serving(place, [], { MCP_TIMEOUT_SECONDS: '1' });
      const { json } = await run('slow', {}, own);
      expect([json.error, json.execution_time < 9]).toEqual([expect.stringContaining('timed out'), true]);
      return '10 by default; with 1 the call ends before ten seconds';
    },
  ),
  row(
    'S2.8',
    'Five failures in a row open the breaker of an address for a minute; an open one refuses at once',
    'Called a function that fails six times',
    async () => {
      const before = dead.requests.length;
      const own = await serving(
        aFolder({ 'toolgate.yaml': `${head}mcp_tools: { broken: { url: "${at(dead, '/fail')}" } }\n` }),
      );
      for (let time = 0; time < 5; time += 1) expect((await run('broken', {}, own)).json.error).toContain('500');
      expect((await run('broken', {}, own)).json).toMatchObject({ error_type: expect.stringContaining('circuit') });
      expect(dead.requests.length - before).toBe(5);
      return 'five requests; the sixth call is refused by the breaker';
    },
  ),
  row(
    'S2.9',
    'A half-open breaker lets exactly one probe through',
    'Opened the breaker, moved the clock of the gateway past its rest, and sent four calls while the server hung',
    async () => {
      const { own, requests, call, times } = await moodyGate();
      await times(5, true);
      expect(await call(false)).toBe('circuit_breaker_open');
      await own.later();
      const before = requests();
      state.hangs = true;
      const probe = run('moody', {}, own);
      await expect.poll(requests).toBe(before + 1);
      const others = await Promise.all([1, 2, 3].map(() => run('moody', {}, own)));
      state.hangs = false;
      expect(others.map(({ json }) => json.error_type)).toEqual(
        Array.from({ length: 3 }, () => 'circuit_breaker_open'),
      );
      expect([(await probe).json.error_type, requests()]).toEqual(['timeout', before + 1]);
      await own.later(2);
      expect([await call(false), await call(false)]).toEqual([null, null]);
      return 'one request; the three others are refused by the breaker; after a good probe all pass';
    },
  ),
  row(
    'S2.10',
    'A success starts the count of failures again',
    'Failed four times, succeeded once, failed four times and succeeded; then failed five times',
    async () => {
      const { times, call } = await moodyGate();
      const failures = Array.from({ length: 4 }, () => 'execution_error');
      expect(await times(4, true)).toEqual(failures);
      expect(await call(false)).toBe(null);
      expect(await times(4, true)).toEqual(failures);
      expect(await call(false)).toBe(null);
      expect(await times(5, true)).toEqual([...failures, 'execution_error']);
      expect(await call(false)).toBe('circuit_breaker_open');
      return 'never open before five failures in a row';
    },
  ),
  row(
    'S2.11',
    'Waits double from half a second to five with full jitter; only safe failures of repeatable calls are tried again, within one deadline',
    'Called a function that is not declared repeatable and fails once',
    async () => {
      expect((await run('never')).json.error).not.toBeNull();
      expect(bad.requests.filter(({ url }) => url === '/flaky-once')).toHaveLength(1);
      return 'one request only';
    },
    { unit: { reason: 'waits and jitter need a clock', test: sender } },
  ),
  row(
    'S2.12',
    'Anything but 2xx is a failure, and a 4xx does not count towards the breaker',
    'Called a function that replies 404 seven times',
    async () => {
      for (let time = 0; time < 7; time += 1) expect((await run('missing')).json.error).toContain('HTTP error 404');
      return 'HTTP error 404 each time, never the breaker';
    },
  ),
  row(
    'S2.13',
    'A tool is made of name, function, address, headers, description, category and parameters, with defaults',
    'Read a function that gives only its address',
    async () => {
      const { json } = await gate.send('/tools/plain');
      expect(json).toMatchObject({ name: 'plain', description: 'MCP remote function', category: 'mcp' });
      await run('plain');
      expect(got(good).function).toBe('plain');
      return '`MCP remote function` in category `mcp`';
    },
  ),
  row(
    'S2.14',
    'Functions are declared in YAML with typed parameters; enum and default are honoured',
    'Read the schema, and sent a value outside the enum',
    async () => {
      const ask = await httpClient(gate, '2025-11-25');
      const listed = (await ask('tools/list')).result.tools.find(({ name }: Loose) => name === 'weather');
      const types = Object.values<Loose>(listed.inputSchema.properties).map(({ type }) => type);
      expect(types).toEqual(['string', 'string', 'integer', 'number', 'boolean', 'array', 'object']);
      expect(listed.inputSchema.properties.units).toMatchObject({ enum: ['metric', 'imperial'], default: 'metric' });
      expect((await run('weather', { city: 'Bonn', units: 'kelvin' })).status).toBe(400);
      return 'six types, the enum and the default; another value is refused';
    },
  ),
  row(
    'S2.15',
    'Without parameters there is one optional object that is passed through',
    'Called without and with `args`',
    async () => {
      await run('plain', { args: { x: [1] } });
      expect(got(good).args).toEqual({ x: [1] });
      expect((await run('plain')).json.error).toBeNull();
      return 'passed through';
    },
  ),
  row(
    'S2.16',
    'A tool shows its version, its time limit, its category and that it is not sandboxed',
    'Read the details',
    async () => {
      const text = (await gate.send('/tools/plain')).text.replaceAll(/\s/g, '');
      for (const part of ['"version":"1.0.0"', '"timeout_seconds":15', '"sandboxed":false', '"category":"mcp"'])
        expect(text).toContain(part);
      return '1.0.0, 15, false, mcp';
    },
  ),
  row('S2.17', 'A result is success, output and error', 'Called one that works and one that fails', async () => {
    expect((await run('plain')).json.structured_content).toMatchObject({ success: true, output: { got: {} } });
    const failed = (await run('missing')).json;
    expect(failed.error).toContain('HTTP error 404');
    expect(failed.structured_content).toMatchObject({
      success: false,
      output: null,
      error: expect.stringContaining('HTTP error 404'),
    });
    return 'success with output, and an error without';
  }),
  row(
    'S2.18',
    'Header values refer to variables; an unset one stops the load, and no secret is ever shown',
    'Checked an unset variable, and searched everything that the gateway shows',
    async () => {
      await refused(
        'mcp_tools: { f: { url: "http://localhost:1/", headers: { A: "${NOT_SET_HERE}" } } }\n',
        'NOT_SET_HERE',
      );
      const texts = await Promise.all(
        ['/config', '/tools', '/tools/weather', '/metrics'].map(async (path) => (await gate.send(path)).text),
      );
      expect([...texts, gate.log()].join('\n')).not.toContain('7c21e9');
      return 'the load stops, and the value appears nowhere';
    },
  ),
  row('S2.19', 'Secrets written out in the configuration are flagged', 'Checked a literal token', async () => {
    await refused(
      'mcp_tools: { f: { url: "http://localhost:1/", headers: { X-Key: ghp_0123456789abcdefghijABCDEFGHIJ012345 } } }\n',
      'looks like a literal secret',
    );
    return 'an error with its place';
  }),
  row(
    'S2.20',
    'A tool is added by editing the file, without code and without a restart',
    'Edited the file of a running gateway',
    async () => {
      const one = `${head}mcp_tools:\n  one: { url: "${at(good, '/echo')}" }\n`;
      const place = aFolder({ 'toolgate.yaml': one });
      const own = await serving(place);
      writeFileSync(join(place, 'next'), `${one}  two: { url: "${at(good, '/echo')}" }\n`);
      renameSync(join(place, 'next'), join(place, 'toolgate.yaml'));
      await own.logged('"config.reloaded"');
      expect((await run('two', {}, own)).json.error).toBeNull();
      return 'the new tool answers';
    },
  ),
  row(
    'S2.21',
    'Timeouts and HTTP errors have their fixed words, the latter with the first 200 characters of the reply',
    'Called both',
    async () => {
      expect((await run('slow')).json.error).toContain(
        'Request timed out. The service may be temporarily unavailable.',
      );
      expect((await run('missing')).json.error).toBe(`HTTP error 404: ${'y'.repeat(200)}`);
      return 'both, word for word';
    },
  ),
  row(
    'S2.22',
    'A function server can be asked for its functions, and each becomes a tool',
    'Called a discovered function and an unknown one; reloaded the configuration while the server rested behind its breaker',
    async () => {
      expect((await run('found__add', { a: 2 })).json.error).toBeNull();
      expect(got(good)).toEqual({ function: 'add', args: { a: 2 } });
      expect((await run('found__add', { a: 'x' })).status).toBe(400);
      expect((await run('found__subtract', { a: 2 })).status).toBe(404);
      const service = await aService();
      const text = `${head}outbound: { circuit_breaker: { failure_threshold: 1 } }\nsources: { found: { kind: http, base_url: "${at(service, '/list')}", discover: list_functions } }\n`;
      const place = aFolder({ 'toolgate.yaml': text });
      const own = await serving(place);
      expect((await run('found__add', { a: 2 }, own)).json.error).toBeNull();
      await service.close();
      expect((await run('found__add', { a: 2 }, own)).json.error_type).toBe('network_error');
      expect((await run('found__add', { a: 2 }, own)).json.error_type).toBe('circuit_breaker_open');
      writeFileSync(join(place, 'toolgate.yaml'), `${text}mcp_tools: { other: { url: "${at(good, '/echo')}" } }\n`);
      await own.logged('"config.reloaded"');
      expect((await own.send('/tools')).json.tools.map(({ name }: Loose) => name).toSorted()).toEqual([
        'found__add',
        'other',
      ]);
      expect((await own.send('/tools/found__add')).json.circuit_breaker.state).toBe('open');
      return '`found__add`, with its parameters checked; an unknown one is 404; a reload keeps it while its server rests';
    },
  ),
  row(
    'S2.25',
    'Tools carry hints about what they may do; reads may be offered as resources',
    'Read the list and a resource',
    async () => {
      const ask = await httpClient(gate, '2025-11-25');
      const tools = (await ask('tools/list')).result.tools;
      const hints = (wanted: string): Loose => tools.find(({ name }: Loose) => name === wanted).annotations;
      expect(hints('web__state')).toMatchObject({ readOnlyHint: true });
      expect(hints('plain').readOnlyHint).not.toBe(true);
      const [{ uri }] = (await ask('resources/list')).result.resources;
      expect((await ask('resources/read', { uri })).result.contents[0].text).toContain('version');
      return 'a GET is read-only, a function is not; the GET is a resource';
    },
  ),
  row(
    'S2.30',
    'An audit of the configuration flags chosen hosts, long waits, open domains and huge limits',
    'Checked a careless file',
    async () => {
      const { err } = await check(
        'mcp_tools:\n  w: { url: "https://{host}/", timeout: 300 }\noutbound: { allowed_domains: ["*"], max_response_bytes: 1073741824 }\n',
      );
      for (const part of ['takes its host from an argument', 'take 300 seconds', 'contains *', '1073741824 bytes'])
        expect(err).toContain(part);
      return 'all four in one run';
    },
  ),
  row(
    'S2.31',
    'Breakers are logged and measured, thresholds are set by address, and the state is kept in memory by decision',
    'Read log, metrics and the tool after the breaker of its server opened',
    async () => {
      const origin = `http://127.0.0.1:${dead.port}`;
      for (let time = 0; time < 5; time += 1) await run('broken');
      await expect.poll(() => gate.log()).toContain(`"origin":"${origin}","old":"closed","new":"open"`);
      expect((await gate.send('/metrics')).text).toContain(`mcp_origin_circuit_breaker_state{origin="${origin}"} 2`);
      expect((await gate.send('/tools/broken')).json.circuit_breaker).toMatchObject({ state: 'open', origin });
      expect((await gate.send('/health')).json.checks.tool_broken.status).toBe('degraded');
      return 'one line of the log, the metric with value 2, and the tool shows the open breaker of its server';
    },
  ),
  row('S2.32', 'Calls need no session and no affinity', 'Called over REST, each time on a new connection', async () => {
    const [one, two] = [await run('plain'), await run('plain')];
    expect([one.status, two.status, one.headers.get('mcp-session-id')]).toEqual([200, 200, null]);
    return 'no session is given or needed';
  }),
  row('S2.33', 'Every source can be tried with one curl command', 'Read the command that a tool shows', async () => {
    const { curl } = (await gate.send('/tools/weather')).json;
    expect(curl).toMatch(/^curl .*get_weather/s);
    expect(curl).toContain(at(good, '/fn'));
    expect(curl).toMatch(/-H ["']X-Key: \$\{?FN_KEY/i);
    expect(curl).not.toContain('7c21e9');
    return 'a command with the name of the variable in place of the secret';
  }),
];
