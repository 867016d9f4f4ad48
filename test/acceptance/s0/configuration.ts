import { expect } from 'vitest';
import { row } from '../row.js';
import { aGate, command, info, logged, result } from './world.js';

/** S0-B: precedence, clamping and reload. */
export const configuration = [
  row(
    'S0.26',
    'Defaults are overridden by the file, the file by the environment, the environment by the command line',
    'Set the concurrency and the log level at each level and read `GET /config`',
    async () => {
      const file = 'tool: { default_concurrency: 3, queue_length: 7 }\nlog: { level: debug }\n';
      const own = await aGate(file, { MCP_DEFAULT_CONCURRENCY: '4', LOG_LEVEL: 'error' }, ['--concurrency', '5']);
      const { json } = await own.send('/config');
      expect([json.tool.queue_length, json.log.level, json.tool.default_concurrency]).toEqual([7, 'error', 5]);
      expect((await info('say', own)).performance.concurrency).toBe(5);
      return 'queue 7 of the file, level error of the environment, concurrency 5 of the command line';
    },
  ),
  row(
    'S0.27',
    'The file has `circuit_breaker`, `tool`, `security` and `server` with the keys of the founding document',
    'Started a gateway with a file with all of them, and read what they did',
    async () => {
      const file =
        'circuit_breaker: { failure_threshold: 3, recovery_timeout: 40 }\ntool: { default_timeout: 5, default_concurrency: 1 }\nsecurity: { allow_intrusive: true }\nserver: { transport: http, port: 1234 }\n';
      expect(await command(file, ['check'])).toMatchObject({ code: 0 });
      const own = await aGate(file);
      expect(await info('say', own)).toMatchObject({
        performance: { concurrency: 1, default_timeout: 5 },
        circuit_breaker: { failure_threshold: 3, recovery_timeout: 40 },
      });
      const intrusive = { target: '127.0.0.1', scripts: ['http-slowloris'], dry_run: true };
      expect((await result('nmap', intrusive, own)).returncode).toBe(0);
      expect((await own.send('/config')).json.server.port).toBe(0);
      return 'breaker 3 and 40 s, 5 s and 1 call, intrusive scripts accepted; the flag `--port` wins over the file';
    },
  ),
  row(
    'S0.28',
    'Numbers out of range are clamped, each with a log line of parameter, original, new value and range',
    'Started with four numbers out of range',
    async () => {
      const own = await aGate(
        'circuit_breaker: { failure_threshold: 99 }\nserver: { shutdown_grace_period: 999 }\ntool: { max_args_length: 99999, overrides: { nmap: { timeout: 5, concurrency: 50 } } }\n',
      );
      const lines = logged('config.clamped', own).map(({ param, original, new: used, range }) => [
        param,
        original,
        used,
        range,
      ]);
      expect(lines).toEqual(
        expect.arrayContaining([
          ['circuit_breaker.failure_threshold', 99, 10, [1, 10]],
          ['server.shutdown_grace_period', 999, 300, [0, 300]],
          ['tool.max_args_length', 99_999, 10_240, [1, 10_240]],
          ['tool.overrides.nmap.timeout', 5, 60, [60, 3600]],
          ['tool.overrides.nmap.concurrency', 50, 5, [1, 5]],
        ]),
      );
      return `${lines.length} lines \`config.clamped\`, nmap between 60 and 3600 s and 1 and 5 calls`;
    },
  ),
  row(
    'S0.29',
    'Unknown keys, wrong types and unreadable files stop the start; a bad reload keeps the last good configuration',
    'Started with a bad file; then changed the file of a running gateway to a bad one',
    async () => {
      const bad = await command('server: { prot: 1 }\nnonsense: 1\n', ['serve', '--http', '--port', '0']);
      expect([bad.code, /prot/.test(bad.err), /nonsense/.test(bad.err)]).toEqual([1, true, true]);
      const { writeFileSync } = await import('node:fs');
      const { aPlace, serving } = await import('../../support/toolgate.js');
      const cwd = aPlace({ 'toolgate.yaml': 'tool: { include: [ping] }\n' });
      const own = await serving(cwd);
      writeFileSync(`${cwd}/toolgate.yaml`, 'tool: { incldue: [] }\n');
      await own.logged('config.rejected');
      expect((await own.send('/tools')).json.tools).toHaveLength(1);
      expect((await own.send('/health')).json.checks.config.status).not.toBe('healthy');
      return 'exit code 1 with both keys; the running gateway keeps its tools and fails the check `config`';
    },
    { decision: '0123' },
  ),
  row(
    'S0.30',
    'A changed policy flag takes effect at once, whatever was validated before',
    'Refused an intrusive script, switched `allow_intrusive` on in the file and repeated the call',
    async () => {
      const { writeFileSync } = await import('node:fs');
      const { aPlace, serving } = await import('../../support/toolgate.js');
      const cwd = aPlace({ 'toolgate.yaml': 'security: { allow_intrusive: false }\nrate_limit: { requests: 1000 }\n' });
      const own = await serving(cwd);
      const args = { target: '127.0.0.1', scripts: ['http-slowloris'], dry_run: true };
      expect((await result('nmap', args, own)).error_type).toBe('policy_denied');
      writeFileSync(`${cwd}/toolgate.yaml`, 'security: { allow_intrusive: true }\nrate_limit: { requests: 1000 }\n');
      await own.logged('config.reloaded');
      expect((await result('nmap', args, own)).returncode).toBe(0);
      return '`policy_denied`, then accepted';
    },
  ),
];
