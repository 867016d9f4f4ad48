import { expect } from 'vitest';
import { aPlace, builtLibrary, serving } from '../../support/toolgate.js';
import type { Loose } from '../mcp-client.js';
import { row } from '../row.js';
import { aFolder, gate, info, result, run, tight } from './world.js';

/** What a declaration may say about a tool. */
export const declarations = [
  row(
    'S0.126',
    'Read-only commands may declare bounded retries; nothing that writes is repeated',
    'Ran `twice`, which always fails, and loaded a manifest that writes and retries',
    async () => {
      const failed = await result('twice');
      expect([failed.returncode, failed.metadata.attempts]).toEqual([2, 3]);
      const cwd = aFolder({
        'tools/w.tool.yaml':
          'command: "true"\nflags: {}\ntarget: { kind: none }\neffects: { writes: true }\nretry: { attempts: 2 }\n',
        'toolgate.yaml': 'commands: { directories: [tools] }\n',
      });
      const own = await serving(cwd);
      expect((await own.send('/tools')).text).toContain('never repeated');
      return 'three attempts; a writing tool with `retry` is rejected';
    },
  ),
  row(
    'S0.127',
    'nmap offers the script category `safe` without what harms, and `vuln` behind `allow_intrusive`',
    'Dry runs of both',
    async () => {
      const ask = (more: Record<string, unknown>, of = gate) =>
        result('nmap', { target: '127.0.0.1', dry_run: true, ...more }, of);
      expect((await ask({ safe_scripts: true })).metadata.argv.join(' ')).toMatch(
        /--script safe and not \(.*intrusive.*\)/,
      );
      expect((await ask({ vuln_scripts: true })).error).toContain('allow_intrusive');
      expect((await ask({ vuln_scripts: true }, tight)).metadata.argv.join(' ')).toContain('--script vuln');
      return '`safe and not (…)`; `vuln` only with the setting';
    },
  ),
  row(
    'S0.128',
    'A declaration may set its own breaker: failures, recovery seconds, which errors count',
    'Let `fragile` (one failure, 120 s) run into its limit, and read nmap',
    async () => {
      await gate.send('/tools/fragile/breaker/reset', { method: 'POST' });
      expect((await info('fragile')).circuit_breaker).toMatchObject({ failure_threshold: 1, recovery_timeout: 120 });
      await run('fragile');
      const { circuit_breaker: breaker } = await info('fragile');
      expect(breaker).toMatchObject({ state: 'open', failure_threshold: 1 });
      expect(breaker.retry_after_ms).toBeGreaterThan(100_000);
      await gate.send('/tools/fragile/breaker/reset', { method: 'POST' });
      return 'open after one timeout, for about 120 s';
    },
  ),
  row('S0.129', 'A declaration may add to its information', 'Read `GET /tools/fragile`', async () => {
    expect((await gate.send('/tools/fragile')).json).toMatchObject({
      version: '2.5',
      information: { capabilities: ['rest'], maintainer: 'ops' },
    });
    return 'version 2.5, capabilities and maintainer';
  }),
  row(
    'S0.130',
    'A tool may validate in its own way with message, suggestion and metadata',
    'Sent a separator against the pattern of `measure`; gave an embedded gateway a command with a check in code',
    async () => {
      const { error_context: context } = await result('measure', { separator: 'XYZ' });
      expect(context).toMatchObject({
        error_type: 'validation_error',
        metadata: { field: 'separator', value: expect.stringContaining('XYZ'), expected: expect.any(String) },
      });
      const { createGate, defineCommand, log } = await builtLibrary();
      const manifest: Loose = {
        command: 'seq',
        flags: { separator: { flag: '-s', type: 'string', pattern: '[a-z,]{1,3}' } },
        target: { kind: 'none' },
        always: ['3'],
      };
      const rejection = {
        stage: 'semantics',
        message: 'is reserved',
        expected: 'another letter',
        example: 'y',
      } as const;
      const own = await createGate({
        config: { state: { directory: aPlace() }, commands: { builtins: false } },
        commands: [
          defineCommand('count', manifest, {
            checks: { separator: (value) => (value === 'x' ? rejection : undefined) },
          }),
        ],
        log: log({ write: () => {} }),
      });
      const count = async (separator: string): Promise<Loose> => {
        const response = await own.fetch(
          new Request('http://gate/tools/count/execute', {
            method: 'POST',
            headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ separator }),
          }),
        );
        return response.json();
      };
      const refused = await count('x');
      expect(refused).toMatchObject({
        error_type: 'validation_error',
        error: expect.stringContaining('is reserved'),
        error_context: { metadata: { stage: 'semantics', expected: 'another letter', example: 'y' } },
      });
      expect((await count('y')).stdout).toBe('1y2y3\n');
      await own.close();
      return 'patterns and ranges in manifests; a check in code refuses with its own message, expectation and example';
    },
  ),
  row(
    'S0.135',
    'Parsers for own tools: none, lines, key and value, XML, JSON lines, with a summary',
    'Ran one tool of each',
    async () => {
      const parsed = async (tool: string) => (await result(tool)).metadata;
      expect(await parsed('rows')).toMatchObject({ parsed: { lines: ['one', 'two'] }, summary: '2 lines' });
      expect(await parsed('pairs')).toMatchObject({
        parsed: { values: { Name: ['box', 'two'], Port: '80' } },
        summary: '2 keys',
      });
      expect(await parsed('records')).toMatchObject({
        parsed: { records: [{ a: 1 }, { a: 2 }], skipped: 1 },
        summary: '2 records',
      });
      expect((await parsed('markup')).summary).toBe('<a> with 1 elements');
      return 'four parsers with their summaries';
    },
  ),
];
