import { expect } from 'vitest';
import type { Loose } from '../mcp-client.js';
import { listening, stdioClient } from '../mcp-client.js';
import { row } from '../row.js';
import { aPlace, serving, toolgate } from '../../support/toolgate.js';
import { aFolder, aGate, callTool, client, folder, gate, info, logged, result, run } from './world.js';

const names = async (of = gate) => (await of.send('/tools')).json.tools.map(({ name }: Loose) => name);

/** A minimal declaration of a program that ends itself by a signal. */
const dies = 'command: timeout\nflags: {}\ntarget: { kind: none }\nalways: [--signal=KILL, "0.1", sleep, "60"]\n';

/** S0-H and S0-I: registry and HTTP surface. */
export const registry = [
  row(
    'S0.96',
    'Discovery reads a folder and skips what its name or `tool: false` excludes',
    'Put a manifest of each excluded name, and one with `tool: false`, into a folder with a good one',
    async () => {
      const excluded = [
        'TestOne',
        'MockOne',
        'AbstractOne',
        '_one',
        'ExampleOne',
        'OneBase',
        'OneMixin',
        'OneInterface',
        'MCPBaseTool',
      ];
      const text = 'command: echo\nflags: {}\ntarget: { kind: none }\n';
      const folderOf = aFolder({
        ...Object.fromEntries([...excluded, 'one'].map((name) => [`tools/${name}.tool.yaml`, text])),
        'tools/off.tool.yaml': `${text}tool: false\n`,
        'tools/notes.yaml': text,
        'toolgate.yaml': 'commands: { directories: [tools], builtins: false }\n',
      });
      expect(await names(await serving(folderOf))).toEqual(['one']);
      return 'nine names and the switch are skipped';
    },
  ),
  row(
    'S0.97',
    'A broken declaration is skipped with a warning that names it; the rest load',
    'Put a file with a syntax error into the folder',
    async () => {
      expect(logged('tool_discovery.tool_skipped')).toContainEqual(
        expect.objectContaining({ level: 'warning', what: 'broken.tool.yaml' }),
      );
      expect(await names()).toContain('say');
      return '`tool_discovery.tool_skipped` names broken.tool.yaml with line and column';
    },
  ),
  row(
    'S0.98',
    'Tools can be included and excluded by name',
    'Asked a gateway with `--include` and `--exclude`',
    async () => {
      const own = await serving(aPlace(), ['--include', 'ping,dig', '--exclude', 'dig']);
      expect(await names(own)).toEqual(['ping']);
      return 'only `ping`';
    },
  ),
  row(
    'S0.99',
    'Tools can be enabled and disabled while the gateway runs',
    'Disabled `plain`, called it, enabled it again',
    async () => {
      const own = await aGate();
      await own.send('/tools/plain/disable', { method: 'POST' });
      expect((await run('plain', {}, own)).status).toBe(404);
      expect((await info('plain', own)).enabled).toBe(false);
      await own.send('/tools/plain/enable', { method: 'POST' });
      expect((await run('plain', {}, own)).status).toBe(200);
      const tools = (event: string) => logged(event, own).map(({ tool }) => tool);
      expect([tools('tool.disabled'), tools('tool.enabled')]).toEqual([['plain'], ['plain']]);
      return '404, then 200, both logged';
    },
  ),
  row(
    'S0.100',
    'An unknown or disabled tool is not found, absent from lists, and a change is notified',
    'Disabled `plain` and listed over MCP',
    async () => {
      const unknown = await run('no-such-tool');
      expect([unknown.status, unknown.json.error]).toEqual([404, 'Tool not found/disabled']);
      const ask = await client('2025-06-18');
      const listed = async () => (await ask('tools/list')).result.tools.map(({ name }: Loose) => name);
      expect(await listed()).toContain('plain');
      const changed = await listening(gate, '2025-06-18');
      await gate.send('/tools/plain/disable', { method: 'POST' });
      await expect.poll(() => changed.text()).toContain('notifications/tools/list_changed');
      expect(await listed()).not.toContain('plain');
      expect((await ask('tools/call', { name: 'plain', arguments: {} })).error.code).toBe(-32602);
      await gate.send('/tools/plain/enable', { method: 'POST' });
      expect(await listed()).toContain('plain');
      changed.close();
      return '404 "Tool not found/disabled"; gone from `tools/list` and back, with `notifications/tools/list_changed`';
    },
  ),
  row(
    'S0.101',
    'A tool is filtered, gets breaker and metrics, then is added and enabled or not',
    'Read the list of tools',
    async () => {
      const { tools } = (await gate.send('/tools')).json;
      expect(tools.find(({ name }: Loose) => name === 'say')).toMatchObject({
        enabled: true,
        ready: true,
        circuit_breaker: 'closed',
      });
      expect(logged('tool_discovery.tool_loaded').map(({ name }) => name)).toContain('say');
      return '`say` enabled, ready, breaker closed; logged as loaded';
    },
  ),
  row(
    'S0.102',
    'A command and its flags are a whole declaration; everything else has defaults',
    'Read `plain`, which declares neither, and let five programs of a minimal declaration end by a signal',
    async () => {
      expect(await info('plain')).toMatchObject({
        performance: { concurrency: 2, default_timeout: 300 },
        circuit_breaker: { enabled: true, state: 'closed', failures: 0, failure_threshold: 5, recovery_timeout: 60 },
      });
      const own = await aGate('', {}, [], { 'dies.tool.yaml': dies });
      const types = [];
      for (let turn = 0; turn < 6; turn += 1) types.push((await result('dies', {}, own)).error_type);
      expect(types).toEqual([...Array.from({ length: 5 }, () => 'execution_error'), 'circuit_breaker_open']);
      const { retry_after_ms: rest } = (await info('dies', own)).circuit_breaker;
      expect([rest > 40_000, rest <= 66_000]).toEqual([true, true]);
      return '300 s, 2 calls, a breaker that opens after 5 failures for about 60 s';
    },
  ),
  row(
    'S0.103',
    'The information about a tool has command, version, limits, flags, breaker, metrics and protections',
    'Read `GET /tools/measure`',
    async () => {
      expect(await info('measure')).toMatchObject({
        name: 'measure',
        command: 'seq',
        version: '1.0.0',
        performance: { concurrency: 2, default_timeout: 300 },
        allowed_operations: {
          flags_count: 6,
          flags: ['--intensity', '--rate', '--timeout', '-s', '--separator', '-w'],
        },
        safety_limits: { max_arg_length: 2048, max_output: 1_048_576 },
        circuit_breaker: { enabled: true, failure_threshold: 5, state: 'closed' },
        metrics: { available: true },
        security_features: expect.any(Array),
      });
      return 'all of them';
    },
  ),
  row(
    'S0.104',
    'What is remembered about inputs is bounded and can be cleared',
    'Sent 300 different targets and watched the memory of the process',
    async () => {
      const { readFileSync } = await import('node:fs');
      const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gate.child.pid}/status`, 'utf8'))?.[1]);
      const before = memory();
      for (let turn = 0; turn < 300; turn += 1)
        await run('address', { target: `10.1.${turn % 250}.${turn % 200}`, dry_run: true });
      expect(memory() - before).toBeLessThan(60_000);
      return 'no growth beyond 60 MB';
    },
    {
      unit: {
        reason: 'caches hold the script list only, cleared by a reload (S0.30)',
        test: 'src/sources/command/pack/nmap.test.ts',
      },
    },
  ),
  row(
    'S0.105',
    'A declaration is the file `{command}.tool.yaml`',
    'Named a file say.tool.yaml without `name`',
    async () => {
      expect(await names()).toContain('say');
      return 'the tool is `say`';
    },
  ),
  row(
    'S0.106',
    '`POST /tools/{name}/execute` takes the input and returns the output, with 200, 400, 404, 429',
    'Sent one call of each',
    async () => {
      expect([(await run('say')).status, (await run('say', { x: 1 })).status, (await run('nothing')).status]).toEqual([
        200, 400, 404,
      ]);
      const own = await aGate('rate_limit: { requests: 2 }\n');
      const statuses = [];
      for (let turn = 0; turn < 3; turn += 1) statuses.push((await run('plain', {}, own)).status);
      expect(statuses).toEqual([200, 200, 429]);
      expect(Object.keys((await run('nothing')).json)).toContain('stdout');
      return '200, 400, 404 and 429, each with the same envelope';
    },
    { decision: '0127' },
  ),
  row(
    'S0.108',
    '`GET /metrics` is Prometheus text with its content type, or JSON if accepted',
    'Asked both ways',
    async () => {
      const text = await gate.send('/metrics');
      expect(text.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      const json = await gate.send('/metrics', { headers: { accept: 'application/json' } });
      expect([json.headers.get('content-type'), typeof json.json]).toEqual([
        expect.stringContaining('application/json'),
        'object',
      ]);
      return '`text/plain; version=0.0.4` and `application/json`';
    },
  ),
  row(
    'S0.109',
    '`GET /events` streams health, then metrics, every five seconds, until the client leaves',
    'Read the stream until both had come twice',
    async () => {
      const stop = new AbortController();
      const response = await fetch(`${gate.url}/events`, {
        headers: { authorization: `Bearer ${gate.token}` },
        signal: stop.signal,
      });
      let text = '';
      const types = () => [...text.matchAll(/"type":"(health|metrics)"/g)].map(([, type]) => type);
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        if (types().length >= 4) break;
      }
      stop.abort();
      expect(types().slice(0, 4)).toEqual(['health', 'metrics', 'health', 'metrics']);
      expect(text).toMatch(/"type":"health",.*"data":\{"status":"\w+"/);
      return 'health and metrics, twice';
    },
  ),
  row(
    'S0.110',
    'No cross-origin access unless origins are listed, never a wildcard',
    'Sent an Origin with and without a list of origins, and started with `cors_origins: ["*"]`',
    async () => {
      const plain = await gate.send('/livez', { headers: { origin: gate.url } });
      expect(plain.headers.get('access-control-allow-origin')).toBe(null);
      const wild = await toolgate(aPlace({ 'toolgate.yaml': "server: { cors_origins: ['*'] }\n" }), ['check']);
      expect(wild.code).not.toBe(0);
      const origin = 'http://app.example';
      const own = await serving(aPlace({ 'toolgate.yaml': `server: { cors_origins: ['${origin}'] }\n` }));
      const listed = await own.send('/livez', { headers: { origin } });
      expect([
        listed.headers.get('access-control-allow-origin'),
        listed.headers.get('access-control-allow-credentials'),
      ]).toEqual([origin, null]);
      const foreign = await own.send('/tools', { headers: { origin: 'http://evil.example' } });
      expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      return 'no CORS header by default, that of a listed origin, none for another; `*` is an error of `check`';
    },
    { decision: '0127' },
  ),
  row(
    'S0.111',
    'Administration over HTTP needs the admin role; the configuration is shown redacted',
    'Called admin routes with a key without the role',
    async () => {
      const own = await serving(
        aPlace({ 'toolgate.yaml': 'auth: { tokens: [{ name: guest, token: "${GUEST}", roles: [] }] }\n' }),
        [],
        { GUEST: 'guest-token-guest-token-guest' },
      );
      const guest = { authorization: 'Bearer guest-token-guest-token-guest' };
      for (const path of ['/config', '/events']) expect((await own.send(path, { headers: guest })).status).toBe(403);
      expect((await own.send('/tools/ping/disable', { method: 'POST', headers: guest })).status).toBe(403);
      expect((await own.send('/config')).text).not.toContain('guest-token');
      return '403 for `/config`, `/events` and disabling; no secret in `/config`';
    },
    { decision: '0127' },
  ),
  row(
    'S0.112',
    'A transport that cannot start is an error, never a silent switch',
    'Started on a port that is taken',
    async () => {
      const ended = await toolgate(aPlace(), ['serve', '--http', '--port', new URL(gate.url).port]);
      expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('already in use') });
      return 'exit code 1, "already in use"';
    },
    { decision: '0127' },
  ),
  row(
    'S0.113',
    'Recording metrics does not delay an answer',
    'Read the metrics right after a call',
    async () => {
      await run('say');
      const { metrics } = await import('./world.js');
      expect(await metrics()).toMatch(/mcp_tool_execution_total\{[^}]*tool="say"[^}]*\} \d+/);
      return 'counted in memory; the text is made when it is asked for';
    },
    {
      unit: {
        reason: 'a delay cannot be distinguished from load outside',
        test: 'src/observe/metrics/metrics.test.ts',
      },
    },
  ),
  row(
    'S0.114',
    'One stdio pipe serves concurrent requests',
    'Sent a slow and a fast call on one pipe',
    async () => {
      const ask = await stdioClient(folder, '2025-11-25');
      const order: string[] = [];
      await Promise.all([
        callTool(ask, 'nap').then(() => order.push('slow')),
        callTool(ask, 'say').then(() => order.push('fast')),
      ]);
      expect(order).toEqual(['fast', 'slow']);
      return 'the fast answer comes first';
    },
    { decision: '0127' },
  ),
];
