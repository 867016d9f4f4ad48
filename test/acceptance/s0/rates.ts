import { expect } from 'vitest';
import { clockedGate } from '../../support/clocked.js';
import { httpClient } from '../mcp-client.js';
import { row } from '../row.js';
import { aGate, aToolFolder, callTool, logged, run } from './world.js';

/** S0-G: the rate limit. */
export const rates = [
  row(
    'S0.93',
    'Each principal and tool has 10 calls per minute; beyond it 429 with Retry-After; every tool obeys, at every door',
    'Called `http_fetch` 12 times with `rate_limit.requests: 10`, `say` over MCP, and with a burst of 2',
    async () => {
      const own = await aGate('rate_limit: { requests: 10 }\ntool: { overrides: { say: { rate: 1 } } }\n');
      const statuses = [];
      for (let turn = 0; turn < 12; turn += 1)
        statuses.push(await run('http_fetch', { url: 'http://10.0.0.1/', dry_run: true }, own));
      expect(statuses.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
      expect(statuses[11]?.json.error).toContain('Rate limit exceeded');
      expect(Number(statuses[11]?.headers.get('retry-after'))).toBeGreaterThan(0);
      const ask = await httpClient(own, '2025-11-25');
      await callTool(ask, 'say');
      expect((await callTool(ask, 'say'))._meta['toolgate/error'].code).toBe('rate_limited');
      const short = await aGate('rate_limit: { requests: 60, burst: 2 }\n');
      const burst = await Promise.all(Array.from({ length: 8 }, () => run('plain', {}, short)));
      expect(burst.filter(({ status }) => status === 200)).toHaveLength(2);
      return 'the 11th is 429 with Retry-After; MCP gets `rate_limited`; a burst of 2 lets 2 of 8 pass';
    },
  ),
  row(
    'S0.94',
    'Tokens refill with time up to the rate, one per call',
    'Emptied the bucket of `plain` at 6 per minute, moved the clock of the gateway by 11 s, then by an hour',
    async () => {
      const own = await clockedGate(aToolFolder('rate_limit: { requests: 6 }\n'), 11);
      const passed = async () => {
        const statuses = [];
        for (let turn = 0; turn < 8; turn += 1) statuses.push((await run('plain', { dry_run: true }, own)).status);
        return statuses.filter((status) => status === 200).length;
      };
      // The bucket is full at first; a slow machine may get one or two tokens more while it is emptied.
      const first = await passed();
      expect(first).toBeGreaterThanOrEqual(6);
      expect(first).toBeLessThan(8);
      await own.later();
      const second = await passed();
      expect(second).toBeGreaterThanOrEqual(1);
      expect(second).toBeLessThan(5);
      await own.later(20);
      const third = await passed();
      expect(third).toBeGreaterThanOrEqual(6);
      expect(third).toBeLessThan(8);
      return '6 of 8 pass, one more after 11 s, and never more than 6 at once after an hour';
    },
  ),
  row(
    'S0.95',
    'Idle keys are removed and the number of keys is bounded',
    'Called three tools, moved the clock of the gateway by three minutes and called another tool 120 times',
    async () => {
      const own = await clockedGate(aToolFolder('rate_limit: { requests: 1000 }\nlog: { level: debug }\n'), 180);
      for (const tool of ['plain', 'ping', 'dig']) await run(tool, { dry_run: true }, own);
      await own.later();
      for (let turn = 0; turn < 120; turn += 1) await run('absent', { dry_run: true }, own);
      const removed = logged('rate_limiter.cleanup', own).map((line) => line.removed);
      expect(removed).toEqual([3]);
      expect((await own.send('/config')).json.rate_limit.max_keys).toBe(10_000);
      return 'three keys are removed; at most 10000 are kept';
    },
    { unit: { reason: 'the bound needs a hundred callers', test: 'test/keys/rows/tool.ts' } },
  ),
];
