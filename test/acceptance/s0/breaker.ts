import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { clockedGate, type Clocked } from '../../support/clocked.js';
import { row } from '../row.js';
import { aGate, aToolFolder, auditRecords, folder, gate, info, logged, metrics, result, run } from './world.js';

/** A gateway whose clocks can be moved; its tool `pipe` times out until something is written into the pipe. */
async function pipeGate(stepSeconds: number): Promise<{ own: Clocked; succeed(): Promise<string> }> {
  const place = aToolFolder();
  spawnSync('mkfifo', [join(place, 'pipe')]);
  const own = await clockedGate(place, stepSeconds);
  return {
    own,
    async succeed() {
      const [{ json }] = await Promise.all([run('pipe', {}, own), writeFile(join(place, 'pipe'), 'water')]);
      return json.stdout;
    },
  };
}
const state = async (own: Clocked) => (await info('pipe', own)).circuit_breaker.state;
const changes = (own: Clocked) =>
  logged('circuit_breaker.state_changed', own).map(({ tool, old, new: to }) => `${tool} ${old} ${to}`);
const open = async (): Promise<void> => {
  await gate.send('/tools/fragile/breaker/reset', { method: 'POST' });
  expect((await result('fragile')).error_type).toBe('timeout');
};

/** S0-F: the circuit breaker. */
export const breaker = [
  row(
    'S0.87',
    'The breaker goes from closed to open at its threshold (5; 60 s, nmap 120 s), then half-open, then closed',
    'Let five calls time out, moved the clock of the gateway past the rest, let the probe fail, moved it again and let the probe succeed',
    async () => {
      const { own, succeed } = await pipeGate(100);
      const states = [];
      for (let turn = 0; turn < 5; turn += 1) {
        await run('pipe', {}, own);
        states.push(await state(own));
      }
      expect(states).toEqual(['closed', 'closed', 'closed', 'closed', 'open']);
      const { circuit_breaker: rests } = await info('pipe', own);
      expect(rests).toMatchObject({ failures: 5, failure_threshold: 5, recovery_timeout: 60 });
      expect(rests.retry_after_ms).toBeGreaterThan(30_000);
      expect(rests.retry_after_ms).toBeLessThanOrEqual(66_000);
      expect(Number.isInteger(rests.retry_after_ms)).toBe(true);
      const refused = await run('pipe', {}, own);
      expect([refused.status, refused.json.error_type]).toEqual([503, 'circuit_breaker_open']);
      expect(await metrics(own)).toMatch(/mcp_circuit_breaker_state\{tool="pipe"\} 2/);
      await own.later();
      expect((await result('pipe', {}, own)).error_type).toBe('timeout');
      expect(await state(own)).toBe('open');
      await own.later();
      expect(await succeed()).toBe('water');
      expect(await state(own)).toBe('closed');
      expect(changes(own)).toEqual([
        'pipe closed open',
        'pipe open half_open',
        'pipe half_open open',
        'pipe open half_open',
        'pipe half_open closed',
      ]);
      expect(await metrics(own)).toMatch(/mcp_circuit_breaker_state\{tool="pipe"\} 0/);
      expect((await info('nmap', own)).circuit_breaker).toMatchObject({ failure_threshold: 5, recovery_timeout: 120 });
      return 'open after the fifth timeout for about a minute; a failed probe opens it again, a good one closes it; nmap rests for 120 s';
    },
  ),
  row(
    'S0.88',
    'An open breaker refuses without starting anything and returns a time to retry',
    'Let `latch`, which leaves a file and then waits, run into its limit; removed the file and called again while the breaker was open',
    async () => {
      const file = join(folder, 'latched');
      await gate.send('/tools/latch/breaker/reset', { method: 'POST' });
      expect((await result('latch')).error_type).toBe('timeout');
      expect(existsSync(file)).toBe(true);
      rmSync(file);
      const refused = await run('latch');
      expect([refused.status, refused.json.error_type]).toEqual([503, 'circuit_breaker_open']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
      expect(existsSync(file)).toBe(false);
      return '503 `circuit_breaker_open` with Retry-After, and no file';
    },
  ),
  row(
    'S0.89',
    'Which errors count against a tool is explicit and can be declared',
    'Failed `list` (exit code 2) six times, which does not count; `picky` declares that an exit code counts and a timeout does not',
    async () => {
      for (let turn = 0; turn < 6; turn += 1) await run('list');
      expect((await info('list')).circuit_breaker).toMatchObject({ state: 'closed', failures: 0 });
      const own = await aGate('', {}, [], {
        'picky.tool.yaml':
          'command: ls\ntarget: { kind: none }\nflags: {}\nalways: [/nowhere/at/all]\nbreaker: { failure_threshold: 2, counts: [execution_failed] }\n',
        'calm.tool.yaml':
          'command: sleep\ntarget: { kind: none }\nflags: {}\nalways: ["77"]\nbreaker: { failure_threshold: 1, counts: [execution_failed] }\nlimits: { timeout_sec: 1 }\n',
      });
      const types = [];
      for (let turn = 0; turn < 3; turn += 1) types.push((await result('picky', {}, own)).error_type);
      expect(types).toEqual(['execution_error', 'execution_error', 'circuit_breaker_open']);
      expect((await result('calm', {}, own)).error_type).toBe('timeout');
      expect((await info('calm', own)).circuit_breaker.state).toBe('closed');
      return 'an exit code opens nothing by default and opens `picky` after two; a timeout that is not declared opens nothing';
    },
    { decision: '0126' },
  ),
  row(
    'S0.90',
    'An administrator can reset a breaker, and that is audited',
    'Opened the breaker of `fragile` and reset it',
    async () => {
      await open();
      expect((await info('fragile')).circuit_breaker.state).toBe('open');
      expect((await gate.send('/tools/fragile/breaker/reset', { method: 'POST' })).status).toBe(200);
      expect((await info('fragile')).circuit_breaker).toMatchObject({ state: 'closed', failures: 0 });
      const resets = auditRecords(folder).filter(
        (record) => record.event === 'admin' && JSON.stringify(record).includes('breaker_reset'),
      );
      expect(JSON.stringify(resets.at(-1))).toContain('fragile');
      return 'open, then closed, with an audit record `breaker_reset`';
    },
  ),
  row(
    'S0.91',
    'Changes of a breaker are logged and exported as a metric',
    'Opened and reset the breaker of `fragile`, and read log and metrics after each',
    async () => {
      const own = await aGate();
      expect((await result('fragile', {}, own)).error_type).toBe('timeout');
      expect(await metrics(own)).toMatch(/mcp_circuit_breaker_state\{tool="fragile"\} 2/);
      await own.send('/tools/fragile/breaker/reset', { method: 'POST' });
      expect(await metrics(own)).toMatch(/mcp_circuit_breaker_state\{tool="fragile"\} 0/);
      const lines = logged('circuit_breaker.state_changed', own);
      expect(lines.map(({ tool, old, new: to }) => [tool, old, to])).toEqual([
        ['fragile', 'closed', 'open'],
        ['fragile', 'open', 'closed'],
      ]);
      return '`circuit_breaker.state_changed` with tool, old and new; the gauge `mcp_circuit_breaker_state` is 2, then 0';
    },
  ),
  row(
    'S0.92',
    'One half-open probe, one success closes, the rest grows by half up to five minutes and varies by a tenth',
    'Moved the clock past each rest, sent three calls at once, and read the next rest, six times',
    async () => {
      const { own, succeed } = await pipeGate(340);
      for (let turn = 0; turn < 5; turn += 1) await run('pipe', {}, own);
      const shares: number[] = [];
      for (const nominal of [90, 135, 202.5, 300, 300, 300]) {
        await own.later();
        const types = (await Promise.all([1, 2, 3].map(() => result('pipe', {}, own)))).map((each) => each.error_type);
        expect(types.toSorted()).toEqual(['circuit_breaker_open', 'circuit_breaker_open', 'timeout']);
        const rest = (await info('pipe', own)).circuit_breaker.retry_after_ms / 1000;
        expect(rest).toBeLessThanOrEqual(nominal * 1.1);
        // Some seconds may pass on a loaded machine between the failure and this request.
        expect(rest).toBeGreaterThan(nominal * 0.9 - 20);
        shares.push(rest / nominal);
      }
      expect(shares.some((share) => share > 1.002 || share < 0.985)).toBe(true);
      await own.later();
      expect(await succeed()).toBe('water');
      expect((await info('pipe', own)).circuit_breaker).toMatchObject({ state: 'closed', failures: 0 });
      return 'each time one of three calls runs; rests of 90, 135, 202 and 300 s within a tenth; one success closes it';
    },
  ),
];
