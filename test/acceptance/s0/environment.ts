import { expect } from 'vitest';
import { processesNamed } from '../../support/processes.js';
import { aPlace, serving, toolgate } from '../../support/toolgate.js';
import { stdioClient } from '../mcp-client.js';
import type { Row } from '../row.js';
import {
  aFolder,
  aGate,
  aToolFolder,
  command,
  gate,
  info,
  logged,
  result,
  run,
  slumberSeconds,
  tight,
} from './world.js';

/** S0-B: environment variables. */
export const environment: readonly Row[] = [
  {
    id: 'S0.8',
    demand: '`MCP_MAX_ARGS_LEN` (2048) limits the length of `extra_args`',
    action: 'Sent `extra_args` of 2049 characters, then of 65 with a limit of 64',
    async see() {
      const long = await result('measure', { extra_args: `-s${' '.repeat(2047)}` });
      expect(long).toMatchObject({ error_type: 'validation_error', error: expect.stringContaining('2048') });
      const own = tight;
      const short = await result('measure', { extra_args: ' '.repeat(65) }, own);
      expect(short).toMatchObject({ error_type: 'validation_error', error: expect.stringContaining('64') });
      return '`validation_error` naming 2048 and 64';
    },
  },
  {
    id: 'S0.9',
    demand: '`MCP_MAX_STDOUT_BYTES` (1048576) is a ceiling for the standard output of every tool',
    action: 'Set it to 2048, ran `flood` (declares 4096) and read the limits of `nmap` (declares 4 MiB)',
    async see() {
      const own = tight;
      expect((await result('flood', {}, own)).stdout.length).toBe(2048);
      expect((await info('nmap', own)).safety_limits.max_output).toBe(2048);
      expect((await info('say')).safety_limits.max_output).toBe(1_048_576);
      expect((await info('dig', own)).safety_limits.max_output).toBe(5000);
      return 'both are cut at 2048; only an override for one tool exceeds it';
    },
  },
  {
    id: 'S0.10',
    demand: '`MCP_MAX_STDERR_BYTES` (262144) is a ceiling for standard error',
    action: 'Set it to 1024 and ran `loud`, which complains at length; read the limits of a dry run',
    async see() {
      const cut = await result('loud', {}, tight);
      expect([cut.truncated_stderr, cut.stderr.length]).toEqual([true, 1024]);
      const whole = await result('loud');
      expect([whole.truncated_stderr, whole.stderr.length > 2048]).toEqual([false, true]);
      expect((await result('list', { dry_run: true })).metadata.limits.stderr_bytes).toBe(262_144);
      expect((await result('list', { dry_run: true }, tight)).metadata.limits.stderr_bytes).toBe(1024);
      return '262144 by default; cut at 1024 if set';
    },
  },
  {
    id: 'S0.11',
    demand: '`MCP_DEFAULT_TIMEOUT_SEC` (300) is the time of a call',
    action: 'Read the timeout of `say` by default and with 20, and let `doze`, which declares nothing, exceed 1 s',
    async see() {
      expect((await info('say')).performance.default_timeout).toBe(300);
      const own = tight;
      expect((await info('say', own)).performance.default_timeout).toBe(20);
      expect((await info('ping', own)).performance.default_timeout).toBe(20);
      const short = await aGate('', { MCP_DEFAULT_TIMEOUT_SEC: '1' });
      expect(await result('doze', {}, short)).toMatchObject({ returncode: 124, stderr: 'Process timed out after 1s' });
      return '300 s by default; 20 s for `say` and for the built-in `ping` if set; a call ends after 1 s';
    },
  },
  {
    id: 'S0.12',
    demand: '`MCP_DEFAULT_CONCURRENCY` (2) is the number of calls of one tool at a time',
    action:
      'Read the slots of `say` and of the built-in `ping` by default and with 1, and counted the processes of two calls at once',
    async see() {
      const own = tight;
      expect((await info('say')).performance.concurrency).toBe(2);
      expect((await info('say', own)).performance.concurrency).toBe(1);
      expect((await info('ping', own)).performance.concurrency).toBe(1);
      const most = async (of: typeof gate) => {
        const calls = [1, 2].map(() => result('slumber', { timeout_sec: 2 }, of));
        let [greatest, isDone] = [0, false];
        const ended = Promise.all(calls).finally(() => (isDone = true));
        await expect
          .poll(() => {
            greatest = Math.max(greatest, processesNamed(slumberSeconds).length);
            return isDone;
          })
          .toBe(true);
        await ended;
        return greatest;
      };
      expect([await most(gate), await most(own)]).toEqual([2, 1]);
      return '2 by default, 1 if set, also for `ping`; two processes at once, and one';
    },
  },
  {
    id: 'S0.13',
    demand: '`MCP_MAX_MEMORY_MB` (512) is a ceiling for the memory of a tool',
    action: 'Set it to 200 and let `limits` (declares 300) print its own limits',
    async see() {
      const own = tight;
      expect((await result('limits', {}, own)).stdout).toContain(`AS ${200 * 1024 * 1024} `);
      expect((await info('say')).safety_limits.memory_bytes).toBe(512 * 1024 * 1024);
      return 'the process has 200 MiB of address space; 512 MiB by default';
    },
  },
  {
    id: 'S0.14',
    demand: '`MCP_MAX_FILE_DESCRIPTORS` (256) is a ceiling for the open files of a tool',
    action: 'Set it to 64 and let `limits` (declares 100) print its own limits',
    async see() {
      const own = tight;
      expect((await result('limits', {}, own)).stdout).toContain('NOFILE 64 64');
      expect((await info('nmap', own)).safety_limits.open_files).toBe(64);
      expect((await info('say')).safety_limits.open_files).toBe(256);
      return 'the process may open 64 files, also `nmap`; 256 by default';
    },
  },
  {
    id: 'S0.15',
    demand: '`MCP_SERVER_TRANSPORT` chooses stdio (the default) or http',
    action:
      'Started `serve` without it and spoke MCP on the pipe; started it with `http` on a port that is taken, and with a flag over it',
    async see() {
      const ask = await stdioClient(aPlace(), '2025-11-25');
      expect(ask.opened.result.serverInfo.name).toBe('toolgate');
      // The shared gateway was started with the flag --http over this variable.
      expect((await tight.send('/config')).json.server.transport).toBe('http');
      const { port } = new URL(gate.url);
      const chosen = await toolgate(aPlace(), ['serve'], { MCP_SERVER_TRANSPORT: 'http', MCP_SERVER_PORT: port });
      expect(chosen).toMatchObject({ code: 1, err: expect.stringContaining(`:${port}`) });
      expect((await toolgate(aPlace(), ['serve'], { MCP_SERVER_TRANSPORT: 'carrier' })).code).toBe(1);
      return 'MCP on stdin and stdout by default; HTTP if chosen, and flags win; another word stops the start';
    },
  },
  {
    id: 'S0.16',
    demand: '`MCP_SERVER_PORT` (8080) is the port',
    action: 'Looked at the default, then started with a port that is taken',
    async see() {
      const { createServer } = await import('node:net');
      const taken = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => taken.once('listening', resolve));
      const { port } = taken.address() as { port: number };
      const ended = await toolgate(aPlace(), ['serve', '--http'], { MCP_SERVER_PORT: String(port) });
      taken.close();
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining(String(port)) });
      expect((await toolgate(aPlace(), ['serve', '--help'])).out).toContain('MCP_SERVER_PORT');
      expect((await toolgate(aPlace(), ['doctor'])).out).toContain('127.0.0.1:8080');
      return 'it tries exactly this port and names it in the error; 8080 by default';
    },
  },
  {
    id: 'S0.17',
    demand:
      '`MCP_SERVER_HOST` is loopback by default, any other address requires authentication, and Host and Origin are checked',
    action: 'Bound to all addresses without authentication; sent a foreign Host and a foreign Origin',
    decision: '0120',
    async see() {
      const refused = await toolgate(
        aPlace({ 'toolgate.yaml': 'auth: { required: false }\n' }),
        ['serve', '--http', '--port', '0'],
        { MCP_SERVER_HOST: '0.0.0.0' },
      );
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('auth.required') });
      const own = gate;
      const { request } = await import('node:http');
      const status = await new Promise((resolve, reject) => {
        request(`${own.url}/livez`, { headers: { host: 'evil.example' } }, (answer) => resolve(answer.statusCode))
          .on('error', reject)
          .end();
      });
      expect(status).toBe(403);
      expect((await own.send('/tools', { headers: { origin: 'http://evil.example' } })).status).toBe(403);
      return 'the start is refused; foreign Host and Origin are 403';
    },
  },
  {
    id: 'S0.18',
    demand: '`TOOLS_PACKAGE` names the folder of tools',
    action: 'Started with a folder of one manifest and no configuration file',
    decision: '0121',
    async see() {
      const cwd = aFolder({ 'mine/hi.tool.yaml': 'command: echo\nflags: {}\ntarget: { kind: none }\nalways: [hi]\n' });
      const own = await serving(cwd, [], { TOOLS_PACKAGE: 'mine' });
      expect((await result('hi', {}, own)).stdout).toBe('hi\n');
      return '`hi` runs; the folder holds manifests instead of Python modules';
    },
  },
  {
    id: 'S0.19',
    demand: '`TOOL_INCLUDE` lists the only tools to offer; unknown names are reported',
    action: 'Started with the names of the founding document, `NmapTool,PingTool`, and with a misspelt one',
    async see() {
      const own = await aGate('', { TOOL_INCLUDE: 'NmapTool,PingTool' });
      const { tools } = (await own.send('/tools')).json;
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(['nmap', 'ping']);
      const wrong = await aGate('', { TOOL_INCLUDE: 'nmpa,ping' });
      expect(logged('config.unused', wrong)[0].problems[0]).toContain('did you mean nmap');
      const checked = await command('tool: { include: [nmpa] }\n', ['check']);
      expect(checked).toMatchObject({ code: 1 });
      expect(checked.out + checked.err).toContain('did you mean nmap');
      return '`nmap` and `ping` are offered; `nmpa` is an error of `check` and a warning at the start';
    },
  },
  {
    id: 'S0.20',
    demand: '`TOOL_EXCLUDE` lists tools never to offer and wins over include',
    action: 'Included and excluded `ping`, by its own name and by that of the founding document',
    async see() {
      const own = await aGate('', { TOOL_INCLUDE: 'ping,say', TOOL_EXCLUDE: 'PingTool' });
      const { tools } = (await own.send('/tools')).json;
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(['say']);
      return 'only `say` is left';
    },
  },
  {
    id: 'S0.21',
    demand: '`MCP_SECURITY_ALLOW_INTRUSIVE` is false by default',
    action: 'Asked for an intrusive script by default and with it set',
    async see() {
      const args = { target: '127.0.0.1', scripts: ['http-slowloris'], dry_run: true };
      expect((await result('nmap', args)).error_type).toBe('policy_denied');
      const own = tight;
      expect((await result('nmap', args, own)).stdout).toContain('http-slowloris');
      return 'refused by default, accepted if set';
    },
  },
  {
    id: 'S0.22',
    demand: '`MCP_SERVER_SHUTDOWN_GRACE_PERIOD` (30) is the time for running calls at shutdown, in seconds',
    action: 'Stopped a gateway with a running call of 2 s and a grace period of 0, then of 20',
    async see() {
      const stopped = async (grace: string) => {
        const own = await aGate('', { MCP_SERVER_SHUTDOWN_GRACE_PERIOD: grace });
        const call = run('nap', { timeout_sec: 2 }, own).then(
          ({ json }) => json?.error_type,
          () => 'closed',
        );
        await own.logged('"tool.start"');
        const code = await own.stop();
        return { code, forced: logged('server.shutdown_forced', own).length, call: await call };
      };
      expect(await stopped('0')).toMatchObject({ code: 0, forced: 1 });
      expect(await stopped('20')).toEqual({ code: 0, forced: 0, call: 'timeout' });
      return 'forced with 0; with 20 the call ends by itself and is answered';
    },
  },
  {
    id: 'S0.23',
    demand: '`LOG_LEVEL` is INFO by default, in any case and by the names of Python',
    action: 'Ran a call with INFO (default), WARNING and DEBUG',
    async see() {
      await run('say', {}, tight);
      await run('say', { surprise: 1 }, tight);
      await tight.logged('tool.refused');
      expect(logged('tool.start', tight)).toEqual([]);
      await gate.send('/health');
      await gate.logged('health.check');
      const own = await aGate();
      await run('say', {}, own);
      await own.logged('tool.end');
      expect([logged('tool.start', own).length, logged('health.check', own).length]).toEqual([1, 0]);
      return '`tool.start` at INFO and not at WARNING; `health.check` at DEBUG';
    },
  },
  {
    id: 'S0.24',
    demand: '`LOG_FORMAT` chooses the form of log lines; JSON lines are the default and stdio keeps them on stderr',
    action: 'Started with the format string of the founding document, over HTTP and over stdio',
    decision: '0122',
    async see() {
      const format = '%(asctime)s %(levelname)s %(name)s %(message)s';
      const own = await aGate('', { LOG_FORMAT: format });
      await run('say', {}, own);
      await own.logged('tool.end');
      expect(own.log()).toMatch(/^\S+ INFO .*tool\.end/m);
      const pipe = await stdioClient(aToolFolder(), '2025-11-25', { env: { LOG_FORMAT: format } });
      await pipe('tools/call', { name: 'say', arguments: {} });
      await expect.poll(() => pipe.log()).toContain('tool.end');
      expect(pipe.log()).toContain('LOG_FORMAT');
      return 'lines of text, with a note that the format string is read as `text`';
    },
  },
  {
    id: 'S0.25',
    demand: '`MCP_CONFIG_FILE` names the configuration file',
    action: 'Started with `MCP_CONFIG_FILE=config.yaml`, then with a file that does not exist',
    async see() {
      const cwd = aFolder({ 'config.yaml': 'tool: { include: [ping] }\n' });
      const own = await serving(cwd, [], { MCP_CONFIG_FILE: 'config.yaml' });
      expect((await own.send('/tools')).json.tools).toHaveLength(1);
      const missing = await toolgate(cwd, ['serve', '--http'], { MCP_CONFIG_FILE: 'absent.yaml' });
      expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('absent.yaml') });
      return 'it is read; a missing one stops the start and is named';
    },
  },
];
