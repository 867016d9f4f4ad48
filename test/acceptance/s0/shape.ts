import { expect } from 'vitest';
import { processesNamed } from '../../support/processes.js';
import { revisions, type Loose } from '../mcp-client.js';
import type { Row } from '../row.js';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aGate, callTool, client, folder, gate, info, metrics, napSeconds, result, run, tight } from './world.js';

/** S0-A: the shape of the whole. */
export const shape: readonly Row[] = [
  {
    id: 'S0.1',
    demand: 'One implementation of a tool is reachable over stdio and over HTTP, with equal fields',
    action: 'Ran `say` over REST and over MCP of five revisions, by stdio and by HTTP',
    async see() {
      const rest = await result('say', { correlation_id: 'same' });
      const outputs = [];
      for (const door of ['stdio', 'http'] as const)
        for (const revision of revisions) {
          const reply = await callTool(await client(revision, door), 'say', { correlation_id: 'same' });
          outputs.push(JSON.parse(reply.content[0].text));
        }
      const fixed = (output: Loose) => ({
        ...output,
        execution_time: 0,
        metadata: { ...output.metadata, 'toolgate/provenance': undefined },
      });
      expect(outputs.map(fixed)).toEqual(outputs.map(() => fixed(rest)));
      return `${outputs.length + 1} equal results with ${Object.keys(rest).length} fields`;
    },
  },
  {
    id: 'S0.2',
    demand:
      'Layers are ordered: transport, validation, sanitising of the command, execution, sanitising of the output; a refusal at one starts nothing behind it',
    action:
      'Sent calls of a tool that leaves a file: one that each of the first three layers refuses, a dry run, then a good one',
    async see() {
      const marked = join(folder, 'marked');
      const mark = (body: object, headers = {}) => gate.send('/tools/mark/execute', { body, headers });
      const transport = await mark({}, { 'content-type': 'text/plain' });
      const stranger = await mark({}, { authorization: 'Bearer wrong' });
      const validation = await mark({ surprise: 1 });
      const sanitising = await mark({ extra_args: '-c; rm' });
      const statuses = [transport, stranger, validation, sanitising].map(({ status }) => status);
      expect(statuses).toEqual([415, 401, 400, 400]);
      expect((await mark({ dry_run: true })).status).toBe(200);
      expect(existsSync(marked)).toBe(false);
      expect((await mark({})).status).toBe(200);
      expect(existsSync(marked)).toBe(true);
      rmSync(marked);
      return '415, 401, 400 and 400, and no file; the good call leaves it';
    },
  },
  {
    id: 'S0.3',
    demand: 'A new tool needs its declaration and no code for transport, metrics, health or breaker',
    action: 'Put one manifest of four lines into the folder and looked for the tool at every place',
    async see() {
      await run('plain');
      const list = await (await client('2026-07-28'))('tools/list');
      expect(list.result.tools.map(({ name }: Loose) => name)).toContain('plain');
      expect((await info('plain')).circuit_breaker).toMatchObject({ enabled: true, state: 'closed' });
      expect((await gate.send('/health')).json.checks.tool_plain.status).toBe('healthy');
      expect(await metrics()).toMatch(/mcp_tool_execution_total\{[^}]*tool="plain"/);
      return '`plain` is listed over MCP, has a breaker, a health check and metrics';
    },
  },
  {
    id: 'S0.4',
    demand: 'Health answers within 100 ms while every slot of a tool is taken',
    action: 'Took both slots of `nap` and asked for `/health` ten times',
    async see() {
      const busy = [run('nap', { timeout_sec: 2 }), run('nap', { timeout_sec: 2 })];
      await expect.poll(() => processesNamed(napSeconds).length).toBeGreaterThan(1);
      const times = [];
      for (let turn = 0; turn < 10; turn += 1) {
        const started = performance.now();
        expect((await gate.send('/health')).json.checks.tool_nap.status).toBe('healthy');
        times.push(performance.now() - started);
      }
      // The fastest of ten: a loaded machine may delay some, a blocked gateway delays all.
      expect(Math.min(...times)).toBeLessThan(100);
      await Promise.all(busy);
      return 'fastest answer below 100 ms, `tool_nap` healthy';
    },
  },
  {
    id: 'S0.5',
    demand: 'Every limit has a safe default in code; a start without file and environment works',
    action: 'Started a gateway in an empty folder and read `GET /config`',
    async see() {
      const { serving, aPlace } = await import('../../support/toolgate.js');
      const plain = await serving(aPlace());
      const { json } = await plain.send('/config');
      expect(json).toMatchObject({
        server: { host: '127.0.0.1', max_body_bytes: 4_194_304, shutdown_grace_period: 30 },
        tool: { default_timeout: 300, default_concurrency: 2, max_stdout_bytes: 1_048_576, max_memory_mb: 512 },
        rate_limit: { max_keys: 10_000 },
        circuit_breaker: { failure_threshold: 5, recovery_timeout: 60 },
        security: { allow_intrusive: false },
      });
      const { json: ping } = await plain.send('/tools/ping');
      expect(JSON.stringify(ping)).toMatch(/"rate\w*":10\b/);
      expect((await result('ping', { target: '127.0.0.1', count: 1 }, plain)).returncode).toBe(0);
      return 'it starts, `ping` works, and limits are 300 s, 2 calls, 1 MiB, 512 MiB';
    },
  },
  {
    id: 'S0.6',
    demand: 'A call is validated first, then passes breaker and slot, runs, is counted and answered',
    action: 'With an open breaker sent an invalid call, then a valid one; counted both',
    async see() {
      const own = await aGate('circuit_breaker: { failure_threshold: 1 }\nrate_limit: { requests: 100000 }\n');
      await run('nap', {}, own);
      const invalid = await run('nap', { surprise: 1 }, own);
      const valid = await run('nap', {}, own);
      expect([invalid.json.error_type, valid.json.error_type]).toEqual(['validation_error', 'circuit_breaker_open']);
      const text = await metrics(own);
      expect(text).toMatch(/mcp_tool_active\{tool="nap"\} 0/);
      expect(text).toMatch(/mcp_tool_errors_total\{[^}]*error_type="circuit_breaker_open"[^}]*\} 1/);
      return '`validation_error` before `circuit_breaker_open`; the active gauge is 0 again';
    },
  },
  {
    id: 'S0.7',
    demand: 'The rate limit comes first, also for wrong calls; bad input takes no slot and no half-open probe',
    action: 'Sent 12 invalid calls with 10 allowed per minute, and invalid calls while all slots were taken',
    async see() {
      const wrong = [];
      for (let turn = 0; turn < 12; turn += 1) wrong.push((await run('plain', { surprise: 1 }, tight)).status);
      expect(wrong).toEqual([...Array.from({ length: 10 }, () => 400), 429, 429]);
      const busy = [run('nap'), run('nap')];
      await expect.poll(() => processesNamed(napSeconds).length).toBeGreaterThan(1);
      expect((await run('nap', { surprise: 1 })).status).toBe(400);
      await Promise.all(busy);
      return 'the 11th and 12th wrong call are 429; a wrong call is 400 while all slots are taken';
    },
  },
];
