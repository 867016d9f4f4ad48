import { expect } from 'vitest';
import { readFileSync } from 'node:fs';
import { revisions, type Loose } from '../mcp-client.js';
import { row } from '../row.js';
import { aGate, auditRecords, callTool, client, folder, gate, info, logged, metrics, result, run } from './world.js';

const fields = [
  'stdout',
  'stderr',
  'returncode',
  'truncated_stdout',
  'truncated_stderr',
  'timed_out',
  'error',
  'error_type',
  'execution_time',
  'correlation_id',
  'metadata',
];

/** S0-E: output and errors. */
export const output = [
  row(
    'S0.77',
    'The output has eleven fields, from stdout to metadata, at every door',
    'Ran `say` and `list` over REST and over MCP',
    async () => {
      for (const tool of ['say', 'list']) {
        expect(Object.keys(await result(tool))).toEqual(expect.arrayContaining(fields));
        const reply = await callTool(await client('2026-07-28'), tool);
        expect(Object.keys(reply.structuredContent).toSorted()).toEqual(fields.toSorted());
        expect(reply._meta['toolgate/call']).toEqual({
          correlation_id: reply.structuredContent.correlation_id,
          execution_time: expect.any(Number),
        });
      }
      return `${fields.length} fields for a success and for a failure`;
    },
  ),
  row(
    'S0.78',
    'An error has type, message, suggestion, time, tool, target and metadata',
    'Sent a public address to `address`',
    async () => {
      const { error_context: context } = await result('address', { target: '8.8.8.8' });
      expect(context).toMatchObject({
        error_type: 'validation_error',
        message: expect.any(String),
        recovery_suggestion: expect.any(String),
        tool_name: 'address',
        target: '8.8.8.8',
        metadata: { field: 'target' },
      });
      expect(new Date(context.timestamp).toISOString()).toBe(context.timestamp);
      return 'all seven, the time in ISO 8601';
    },
  ),
  row(
    'S0.79',
    'Error types come from a closed list',
    'Provoked nine of them and compared with `docs/errors.md`',
    async () => {
      const known = new Set(
        [...readFileSync('docs/errors.md', 'utf8').matchAll(/`([a-z_]+)`/g)].map((match) => match[1]),
      );
      const seen = new Set<string>();
      for (const [tool, body] of [
        ['nap', {}],
        ['absent', {}],
        ['say', { x: 1 }],
        ['list', {}],
        ['flood', {}],
        ['nmap', { target: '127.0.0.1', scripts: ['http-slowloris'] }],
        ['no-such-tool', {}],
      ] as const)
        seen.add((await result(tool, body)).error_type);
      expect([...seen].filter((type) => !known.has(type))).toEqual([]);
      expect(seen.size).toBeGreaterThanOrEqual(6);
      return [...seen]
        .toSorted()
        .map((type) => `\`${type}\``)
        .join(', ');
    },
  ),
  row(
    'S0.80',
    'Each error type has its recovery text',
    'Compared the texts of validation, timeout, a missing program, a forbidden file and a closed port',
    async () => {
      const text = async (tool: string, body = {}) => (await result(tool, body)).error_context.recovery_suggestion;
      expect(await text('say', { x: 1 })).toBe('Check argument format. Use --help for syntax.');
      expect(await text('nap')).toBe('Increase timeout_sec or reduce operation scope.');
      expect(await text('absent')).toBe('Install no-such-program-here or add to PATH.');
      expect(await text('http_fetch', { url: 'http://127.0.0.1:80/nothing' })).toBe(
        'Check network connectivity and firewall rules.',
      );
      expect(await text('denied')).toBe('Run with appropriate permissions or adjust policy.');
      return 'the five texts of the founding document';
    },
  ),
  row(
    'S0.81',
    'A refusal names the value, the expected form and an example',
    'Sent the ports 443-80 to nmap',
    async () => {
      const { metadata } = (await result('nmap', { target: '127.0.0.1', ports: '443-80' })).error_context;
      expect(metadata).toMatchObject({
        value: expect.stringContaining('443-80'),
        example: expect.stringContaining('80-443'),
      });
      return 'value, field, stage and example in `metadata`';
    },
  ),
  row(
    'S0.82',
    'Success is exit code 0 without timeout and error',
    'Compared `say`, `list` and `nap` over REST and the command line',
    async () => {
      const success = ({ returncode, timed_out: timedOut, error }: Loose) =>
        returncode === 0 && !timedOut && error === null;
      expect([success(await result('say')), success(await result('list')), success(await result('nap'))]).toEqual([
        true,
        false,
        false,
      ]);
      const { toolgate } = await import('../../support/toolgate.js');
      expect((await toolgate(folder, ['call', 'list'])).code).not.toBe(0);
      return '`say` only; `toolgate call list` exits with a failure';
    },
  ),
  row(
    'S0.83',
    'An MCP result has the whole output as text and as structured content, and `isError` where it failed',
    'Ran success, failure, timeout and cut output over five revisions, by stdio and HTTP',
    async () => {
      let seen = 0;
      for (const door of ['http', 'stdio'] as const)
        for (const revision of revisions) {
          const ask = await client(revision, door);
          await gate.send('/tools/nap/breaker/reset', { method: 'POST' });
          for (const [tool, code, isError] of [
            ['say', 0, undefined],
            ['list', 2, true],
            ['nap', 124, true],
            ['flood', 137, true],
          ] as const) {
            const reply = await callTool(ask, tool);
            const text = JSON.parse(reply.content[0].text);
            expect([text.returncode, reply.isError]).toEqual([code, isError]);
            expect(Object.keys(text)).toEqual(expect.arrayContaining(fields));
            if (tool === 'list')
              expect([text.stdout, text.stderr]).toEqual(['/proc/version\n', expect.stringContaining('/nowhere')]);
            if (revision >= '2025-06-18') expect(reply.structuredContent).toEqual(text);
            else expect(reply.structuredContent).toBeUndefined();
            seen += 1;
          }
        }
      return `${seen} results: four outcomes, five revisions, two transports`;
    },
  ),
  row(
    'S0.84',
    'Errors show no secret, no path of the gateway, no PATH and no stack',
    'Searched the answers of ten failing calls',
    async () => {
      const texts = [];
      for (const [tool, body] of [
        ['absent', {}],
        ['say', { x: 1 }],
        ['nap', {}],
        ['address', { target: '8.8.8.8' }],
        ['no-such', {}],
        ['measure', { extra_args: ';' }],
      ] as const)
        texts.push((await run(tool, body)).text);
      texts.push(
        (await gate.send('/tools/say/execute', { method: 'POST', headers: { 'content-type': 'application/json' } }))
          .text,
      );
      for (const text of texts)
        expect(text).not.toMatch(new RegExp(`hunter2|${folder}|/usr/s?bin|at .*\\.js:\\d|${gate.token}`));
      return `${texts.length} answers without any`;
    },
  ),
  row(
    'S0.85',
    'Every error is logged, answered, counted and reported to the breaker',
    'Let `fragile` run into its limit',
    async () => {
      const own = await aGate();
      const failed = await result('fragile', { correlation_id: 'one-error' }, own);
      expect(failed.error_type).toBe('timeout');
      expect(logged('tool.error', own)[0]).toMatchObject({
        correlation_id: 'one-error',
        tool: 'fragile',
        code: 'timeout',
        duration_ms: expect.any(Number),
      });
      expect(await metrics(own)).toMatch(/mcp_tool_errors_total\{[^}]*fragile[^}]*\} 1/);
      expect((await info('fragile', own)).circuit_breaker).toMatchObject({
        state: 'open',
        failures: 1,
        failure_threshold: 1,
      });
      return 'one log line, one answer, one count, the breaker open after its one failure';
    },
  ),
  row(
    'S0.86',
    'A correlation id is given or made (UUIDv7), checked, and comes back in result, log and audit',
    'Ran `say` with and without an id at every door',
    async () => {
      const given = await result('say', { correlation_id: 'abc-1' });
      const made = await result('say');
      expect([given.correlation_id, made.correlation_id]).toEqual([
        'abc-1',
        expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      ]);
      const reply = await callTool(await client('2025-03-26', 'http'), 'say', { correlation_id: 'abc-2' });
      expect([JSON.parse(reply.content[0].text).correlation_id, reply._meta['toolgate/call'].correlation_id]).toEqual([
        'abc-2',
        'abc-2',
      ]);
      expect(logged('tool.end').filter(({ correlation_id: id }) => id === 'abc-2')).toHaveLength(1);
      expect(auditRecords().some(({ correlationId }) => correlationId === 'abc-2')).toBe(true);
      expect((await run('say', { correlation_id: 'a b' })).status).toBe(400);
      return 'the given id in REST, MCP, log and audit; a UUIDv7 otherwise; "a b" is refused';
    },
  ),
];
