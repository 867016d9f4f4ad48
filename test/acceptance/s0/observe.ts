import { expect } from 'vitest';
import { readFileSync } from 'node:fs';
import { processesNamed } from '../../support/processes.js';
import { aPlace, serving, toolgate } from '../../support/toolgate.js';
import { httpClient } from '../mcp-client.js';
import { row } from '../row.js';
import { aFolder, aGate, callTool, command, folder, gate, logged, metrics, napSeconds, result, run } from './world.js';

/** Events that a shared gateway with the level debug has logged, and those that need a provocation of their own. */
const provoked = async (): Promise<ReadonlySet<string>> => {
  await run('say');
  await run('nap');
  await run('say', { surprise: 1 });
  await gate.send('/health');
  await run('flood');
  await run('bytes');
  await run('nmap', { target: '127.0.0.1', scripts: ['http-slowloris'] });
  await gate.send('/tools', { headers: { authorization: 'Bearer wrong' } });
  await gate.send('/tools', { headers: { origin: 'http://evil.example' } });
  for (const event of ['tool.result_truncated', 'tool.output_cleaned', 'auth.refused', 'http.refused', 'health.check'])
    await gate.logged(event);
  return new Set(
    gate
      .log()
      .match(/"event":"[a-z_.]+"/g)
      ?.map((text) => text.slice(9, -1)) ?? [],
  );
};

/** S0-J: health, metrics, shutdown, log. */
export const observe = [
  row(
    'S0.119',
    'Calls have an active gauge, an execution counter, a duration histogram and an error counter; the gauge returns to 0',
    'Counted before and after a success, a refusal and a timeout, and read the gauge during the timeout',
    async () => {
      const own = await aGate();
      const count = async (pattern: RegExp) => Number(pattern.exec(await metrics(own))?.[1] ?? 0);
      const active = /mcp_tool_active\{tool="nap"\} (\d+)/;
      const timeout = run('nap', { timeout_sec: 2 }, own);
      await expect.poll(() => count(active)).toBe(1);
      await Promise.all([timeout, run('say', {}, own), run('say', { x: 1 }, own)]);
      expect(await count(active)).toBe(0);
      const lines = (await metrics(own)).split('\n');
      const value = (name: string, ...labels: readonly string[]) =>
        lines
          .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
          .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
      expect(value('mcp_tool_execution_total', 'tool="say"', 'status="success"')).toBe(1);
      expect(value('mcp_tool_execution_total', 'tool="nap"', 'error_type="timeout"')).toBe(1);
      expect(value('mcp_tool_errors_total', 'tool="nap"', 'error_type="timeout"')).toBe(1);
      expect(value('mcp_tool_errors_total', 'tool="say"', 'error_type="validation_error"')).toBe(1);
      expect(value('mcp_tool_execution_seconds_count', 'tool="nap"')).toBe(1);
      expect(value('mcp_tool_execution_seconds_sum', 'tool="nap"')).toBeGreaterThan(1);
      return 'the four metrics of the founding document, one count each; the gauge is 1 during the call and 0 after it';
    },
  ),
  row(
    'S0.120',
    'Custom metrics have labels from closed sets',
    'Looked at the labels of all series after calls with several targets and unknown tools',
    async () => {
      for (const target of ['10.0.0.11', '10.0.0.12', 'not-a-host']) await run('address', { target });
      await run('label-of-a-caller');
      expect(await metrics()).not.toMatch(/10\.0\.0\.1[12]|not-a-host|label-of-a-caller/);
      const labels = new Set([...(await metrics()).matchAll(/(?:\{|,)([a-z_]+)="/g)].map((match) => match[1]));
      expect(labels).not.toContain('target');
      for (const label of labels)
        expect([
          'tool',
          'status',
          'error_type',
          'le',
          'check',
          'priority',
          'origin',
          'version',
          'code',
          'source',
          'state',
          'name',
          'kind',
          'major',
          'minor',
          'patch',
          'space',
          'type',
        ]).toContain(label);
      return 'no label holds a text of a caller';
    },
  ),
  row(
    'S0.121',
    'SIGINT and SIGTERM stop in order: nothing new, running calls within the grace period, then their trees; exit code 0, no orphan',
    'Stopped a gateway with a running call by each signal',
    async () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        const own = await aGate('server: { shutdown_grace_period: 0 }\n');
        const call = run('nap', { timeout_sec: 2 }, own).catch(() => undefined);
        await own.logged('"tool.start"');
        expect(await own.stop(signal)).toBe(0);
        await call;
        expect(logged('server.stopping', own)[0]).toMatchObject({ signal, active: 1 });
        expect(logged('server.shutdown_forced', own)).toHaveLength(1);
      }
      await expect.poll(() => processesNamed(napSeconds)).toEqual([]);
      return 'exit code 0, `server.shutdown_forced`, no process left';
    },
  ),
  row(
    'S0.122',
    'Log events exist with their fields and levels; secrets are kept out',
    'Provoked each event of the founding document',
    async () => {
      const seen = await provoked();
      for (const event of [
        'tool.start',
        'tool.end',
        'tool.error',
        'tool.refused',
        'tool.result_truncated',
        'tool.output_cleaned',
        'tool_discovery.tool_loaded',
        'tool_discovery.tool_skipped',
        'tool_discovery.command_unusable',
        'nmap.intrusive_script_blocked',
        'auth.refused',
        'http.refused',
        'http.request',
        'health.check',
        'config.loaded',
        'source.loaded',
        'sandbox.probed',
        'server.starting',
        'server.started',
        'validation.check_passed',
      ])
        expect([...seen]).toContain(event);
      expect(logged('tool.result_truncated')[0]).toMatchObject({
        level: 'warning',
        original_size: expect.any(Number),
        truncated_size: 4096,
      });
      expect(logged('tool.result_truncated')[0].original_size).toBeGreaterThan(4096);
      expect(logged('tool.end').find(({ tool }) => tool === 'say')).toMatchObject({
        level: 'info',
        returncode: 0,
        command: 'echo -e hello',
        duration_ms: expect.any(Number),
      });
      expect(logged('nmap.intrusive_script_blocked')[0]).toMatchObject({ script: 'http-slowloris' });
      expect(gate.log()).not.toContain('hunter2');
      expect(gate.log()).not.toContain(gate.token);
      return '20 events with levels and fields; sizes and durations are filled';
    },
  ),
  row(
    'S0.123',
    'Memory at rest and per tool is bounded: 80 MB and 64 KB are the targets',
    'Measured a gateway with the built-in pack, and one with a hundred manifests more',
    async () => {
      const kilobytes = async (folderOf: string) => {
        const own = await serving(folderOf);
        return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${own.child.pid}/status`, 'utf8'))?.[1]);
      };
      const alone = await kilobytes(aPlace());
      expect(alone).toBeLessThan(130_000);
      const text = 'command: "true"\nflags: { a: { flag: -a, type: boolean } }\ntarget: { kind: none }\n';
      const many = Array.from({ length: 100 }, (_, index) => [`tools/t${index}.tool.yaml`, text]);
      const crowded = await kilobytes(
        aFolder({ ...Object.fromEntries(many), 'toolgate.yaml': 'commands: { directories: [tools] }\n' }),
      );
      expect(crowded - alone).toBeLessThan(40_000);
      return 'below 130 MB, and a hundred manifests add less than 40 MB; `npm run bench` publishes the exact figures';
    },
    { decision: '0290' },
  ),
  row(
    'S0.124',
    '`doctor` prints pass or fail for each line of the deployment check list',
    'Ran it on a good and on a weak configuration',
    async () => {
      const { out } = await toolgate(folder, ['doctor']);
      for (const line of [
        'intrusive tools off',
        'memory limit',
        'time limit',
        'firewall',
        'rate limit',
        'file descriptors',
        'logs',
        'metrics',
        'breaker',
        'flags audited',
        'shutdown grace',
      ])
        expect(out).toMatch(new RegExp(`^(?:pass|warn|fail) +${line} +\\S`, 'm'));
      const metric = /alert on (\S+)/.exec(out)?.[1] ?? '';
      expect(await metrics()).toContain(`${metric}{`);
      const weak = await command(
        'security: { allow_intrusive: true }\ntool: { default_timeout: 3600, max_memory_mb: 4096 }\nserver: { shutdown_grace_period: 0 }\nrate_limit: { requests: 0 }\n',
        ['doctor'],
      );
      for (const line of ['intrusive tools off', 'memory limit', 'time limit', 'rate limit', 'shutdown grace'])
        expect(weak.out).toMatch(new RegExp(`^(?:warn|fail) +${line} `, 'm'));
      return `every line; the metric to alert on (\`${metric}\`) exists`;
    },
  ),
  row(
    'S0.125',
    'The tests of the founding document: targets, success, timeout, concurrency, injection, load',
    'Sent 100 calls at once to `plain` of a gateway with a long queue; the rest is S0.34, S0.46, S0.65, S0.66',
    async () => {
      const own = await aGate('rate_limit: { requests: 1000 }\ntool: { queue_length: 200, queue_timeout: 300 }\n');
      const started = performance.now();
      const all = await Promise.all(
        Array.from({ length: 100 }, () =>
          run('plain', {}, own).then(({ json }) => ({ ok: json.returncode === 0, ms: performance.now() - started })),
        ),
      );
      expect(all.filter(({ ok }) => !ok)).toEqual([]);
      return 'none of 100 is lost';
    },
  ),
  row(
    'S0.131',
    '`tool.start` has the target, `tool.end` command and duration; `validation.check_passed` at debug; the shutdown its signal',
    'Ran `address` and read the log',
    async () => {
      await run('address', { target: '10.0.0.1', correlation_id: 'lines' });
      const lines = (event: string) => logged(event).filter(({ correlation_id: id }) => id === 'lines');
      expect(lines('tool.start')[0]).toMatchObject({ target: '10.0.0.1' });
      expect(lines('tool.end')[0]).toMatchObject({ command: 'echo 10.0.0.1', duration_ms: expect.any(Number) });
      expect(lines('validation.check_passed')[0]).toMatchObject({ level: 'debug', check: 'arguments' });
      return 'target, command and duration; the signal is seen in S0.121';
    },
  ),
  row(
    'S0.134',
    'Behaviour on other platforms than Linux is defined and documented',
    'Read the page on installation and sandboxes',
    () => {
      const text = readFileSync('docs/install.md', 'utf8') + readFileSync('docs/guides/sandbox.md', 'utf8');
      expect(text).toMatch(/macOS/);
      expect(text).toMatch(/Windows/);
      return 'macOS and Windows are described';
    },
    { unit: { reason: 'this machine runs Linux', test: 'src/processes/sandbox/tiers.test.ts' } },
  ),
  row(
    'S0.136',
    'The tool names of the founding document are accepted wherever a tool is named',
    'Called `PingTool` over REST and MCP; used `NmapTool` in an override',
    async () => {
      expect((await result('PingTool', { target: '127.0.0.1', count: 1, dry_run: true })).returncode).toBe(0);
      expect((await gate.send('/tools/NmapTool')).json.name).toBe('nmap');
      const ask = await httpClient(gate, '2025-11-25');
      const reply = await callTool(ask, 'PingTool', { target: '127.0.0.1', count: 1, dry_run: true });
      expect(reply.structuredContent.stdout).toContain('Would execute: ping');
      const own = await aGate('tool: { overrides: { NmapTool: { timeout: 99 } } }\n');
      expect((await own.send('/tools/nmap')).json.performance.default_timeout).toBe(99);
      return 'the call runs `ping`; the override holds for `nmap`';
    },
  ),
  row(
    'S0.137',
    'At shutdown `/readyz` reports that the gateway stops before the listener closes',
    'Stopped a gateway with `server.drain_delay: 3` and asked `/readyz`',
    async () => {
      const own = await aGate('server: { drain_delay: 3 }\n');
      const ended = own.stop();
      await own.logged('server.stopping');
      const answer = await own.send('/readyz');
      expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('stopping')]);
      expect((await run('say', {}, own)).status).toBe(200);
      expect(await ended).toBe(0);
      return '503 "stopping" while calls still run';
    },
  ),
];
