import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { aPlace, builtLibrary, serving } from '../../support/toolgate.js';
import { row } from '../row.js';
import { aToolFolder, gate, result } from './world.js';

interface OwnCheck {
  readonly name: string;
  readonly priority: 'critical' | 'important' | 'informational';
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
}

/** What `GET /health` of an embedded gateway shows with these checks of the program. */
async function reportWith(...checks: readonly OwnCheck[]) {
  const { createGate, log } = await builtLibrary();
  const own = await createGate({
    config: { state: { directory: aPlace() }, commands: { builtins: false } },
    log: log({ write: () => {} }),
  });
  for (const { name, priority, status } of checks)
    own.gate.health.add({ name, priority, check: () => ({ status, detail: 'on purpose' }) });
  await own.gate.health.refresh();
  const response = await own.fetch(
    new Request('http://gate/health', { headers: { authorization: `Bearer ${own.token}` } }),
  );
  await own.close();
  return { code: response.status, ...JSON.parse(await response.text()) };
}

/** S0-J: health. */
export const health = [
  row(
    'S0.107',
    '`GET /health` has status, checks and summary; only unhealthy is 503; callers without a token get one word',
    'Asked with and without a token, with a degraded check, and after the audit journal was made unusable',
    async () => {
      const full = await gate.send('/health');
      const all = Object.values<{ status: string }>(full.json.checks);
      expect(full.json.summary).toEqual({
        total: all.length,
        healthy: all.filter(({ status }) => status === 'healthy').length,
        degraded: all.filter(({ status }) => status === 'degraded').length,
        unhealthy: all.filter(({ status }) => status === 'unhealthy').length,
      });
      const short = await gate.send('/health', { headers: { authorization: '' } });
      expect([short.status, Object.keys(short.json)]).toEqual([200, ['status']]);
      expect([(await gate.send('/livez')).status, (await gate.send('/readyz')).status]).toEqual([200, 200]);
      const slow = await reportWith({ name: 'mine', priority: 'important', status: 'degraded' });
      expect([slow.code, slow.status]).toEqual([200, 'degraded']);
      const place = aToolFolder();
      const own = await serving(place);
      rmSync(join(place, 'home/audit'), { recursive: true });
      writeFileSync(join(place, 'home/audit'), 'not a folder');
      expect((await result('say', {}, own)).error_type).toBe('audit_unavailable');
      const broken = await own.send('/health');
      expect([broken.status, broken.json.status, broken.json.checks.audit.status]).toEqual([
        503,
        'unhealthy',
        'unhealthy',
      ]);
      expect((await own.send('/livez')).status).toBe(200);
      return 'details with the token, `status` only without; degraded is 200, unhealthy 503; `/livez` and `/readyz` 200';
    },
    { decision: '0127' },
  ),
  row(
    'S0.116',
    'Each tool is an informational check: no program is unhealthy, an open breaker is degraded',
    'Read `/health` with a missing program and an open breaker',
    async () => {
      await gate.send('/tools/fragile/breaker/reset', { method: 'POST' });
      const before = (await gate.send('/health')).json.checks;
      expect((await result('fragile')).error_type).toBe('timeout');
      const { checks } = (await gate.send('/health')).json;
      expect([before.tool_fragile.status, checks.tool_fragile.status]).toEqual(['healthy', 'degraded']);
      expect([checks.tool_absent.status, checks.tool_say.status]).toEqual(['unhealthy', 'healthy']);
      for (const tool of ['tool_say', 'tool_absent', 'tool_fragile'])
        expect(checks[tool].priority).toBe('informational');
      await gate.send('/tools/fragile/breaker/reset', { method: 'POST' });
      return '`absent` unhealthy, `fragile` degraded, `say` healthy';
    },
  ),
  row(
    'S0.117',
    'Priorities decide the whole; a busy machine only informs',
    'Read the priorities of `/health`; gave an embedded gateway a failing check of each priority',
    async () => {
      const { checks } = (await gate.send('/health')).json;
      expect([checks.audit.priority, checks.sources.priority]).toEqual(['critical', 'important']);
      for (const name of ['cpu', 'memory', 'disk']) expect(checks[name].priority).toBe('informational');
      const whole = async (priority: OwnCheck['priority']) => {
        const { code, status } = await reportWith({ name: 'mine', priority, status: 'unhealthy' });
        return [code, status];
      };
      expect(await whole('critical')).toEqual([503, 'unhealthy']);
      expect(await whole('important')).toEqual([200, 'degraded']);
      expect(await whole('informational')).toEqual([200, 'healthy']);
      return 'audit critical, sources important, machine and tools informational; unhealthy, degraded and healthy as a whole';
    },
    { unit: { reason: 'an interval of 30 s', test: 'src/observe/health.test.ts' } },
  ),
  row(
    'S0.118',
    'Custom health checks can be added with name, function and priority',
    'Added two with the library and read `/health`',
    async () => {
      const report = await reportWith(
        { name: 'mine', priority: 'important', status: 'degraded' },
        { name: 'other', priority: 'informational', status: 'healthy' },
      );
      expect(report.checks.mine).toEqual({ priority: 'important', status: 'degraded', detail: 'on purpose' });
      expect(report.checks.other).toMatchObject({ priority: 'informational', status: 'healthy' });
      expect(report.status).toBe('degraded');
      return '`mine` degrades the whole';
    },
  ),
];
