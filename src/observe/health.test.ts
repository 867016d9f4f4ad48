import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ToolStatus } from '../core/gateway.js';
import { aFolder } from '../../test/support/program.js';
import { aTool, deferred } from '../../test/support/make.js';
import {
  aggregate,
  health,
  type HealthCheck,
  type HealthStatus,
  type Priority,
  type CheckResult,
  liveCheck,
} from './health.js';
import { machineResources, resourceChecks } from './resource-checks.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const aCheck = (status: HealthStatus, over: Partial<HealthCheck> = {}): HealthCheck => ({
  name: 'db',
  priority: 'critical',
  check: () => ({ status }),
  ...over,
});
const aStatus = (over: Partial<ToolStatus> = {}): ToolStatus => ({
  tool: aTool({ name: 'ping' }),
  enabled: true,
  breaker: { state: 'closed', failures: 0 },
  ...over,
});

test.each<[string, HealthStatus]>([
  ['', 'healthy'],
  ['critical healthy', 'healthy'],
  ['critical unhealthy', 'unhealthy'],
  ['critical unhealthy, important healthy', 'unhealthy'],
  ['critical degraded', 'degraded'],
  ['important unhealthy', 'degraded'],
  ['important degraded', 'degraded'],
  ['informational degraded, critical healthy', 'degraded'],
  ['informational unhealthy, informational healthy', 'healthy'],
  ['informational unhealthy, informational unhealthy, critical healthy', 'degraded'],
  ['informational unhealthy', 'degraded'],
])('%s makes the whole %s [S0.117]', (parts, expected) => {
  const checks = parts === '' ? [] : parts.split(', ').map((part) => part.split(' ') as [Priority, HealthStatus]);
  expect(aggregate(checks.map(([priority, status]) => ({ priority, status })))).toBe(expected);
});

test.each<[string, Partial<ToolStatus>, CheckResult]>([
  ['ready', {}, { status: 'healthy' }],
  [
    'without its program',
    { tool: aTool({ name: 'ping', unavailable: { code: 'command_missing', message: 'ping is not installed' } }) },
    { status: 'unhealthy', detail: 'ping is not installed' },
  ],
  [
    'behind an open breaker',
    { breaker: { state: 'open', failures: 5 } },
    { status: 'degraded', detail: 'the circuit breaker is open after 5 failures' },
  ],
  ['being tried again', { breaker: { state: 'half_open', failures: 5 } }, { status: 'healthy' }],
  ['disabled', { enabled: false }, { status: 'healthy', detail: 'disabled' }],
])('a tool that is %s is a separate informational check [S0.116]', (_, over, verdict) => {
  const { checks } = health({ tools: () => [aStatus(over)] }).report();
  expect(checks).toEqual({ tool_ping: { priority: 'informational', ...verdict } });
});

test('a report has a status, the checks and a summary [S0.107]', async () => {
  const made = health({
    checks: [aCheck('healthy'), aCheck('degraded', { name: 'queue', priority: 'important' })],
    tools: () => [aStatus()],
  });
  expect(await made.refresh()).toEqual({
    status: 'degraded',
    checks: {
      db: { status: 'healthy', priority: 'critical' },
      queue: { status: 'degraded', priority: 'important' },
      tool_ping: { status: 'healthy', priority: 'informational' },
    },
    summary: { total: 3, healthy: 2, degraded: 1, unhealthy: 0 },
  });
});

test('checks run at the start and every thirty seconds, until stopped [S0.117]', async () => {
  let runs = 0;
  const made = health({ checks: [aCheck('healthy', { check: () => (runs++, { status: 'healthy' }) })] });
  made.start();
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(3);
  made.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('a check that does not answer within ten seconds is unhealthy, is aborted, and is not started twice meanwhile [S0.117]', async () => {
  let asked = 0;
  let told: AbortSignal | undefined;
  const stuck = deferred<CheckResult>();
  const check = (signal: AbortSignal): Promise<CheckResult> => {
    asked++;
    told = signal;
    return stuck.promise;
  };
  const made = health({ checks: [aCheck('healthy', { check })] });
  const refreshing = made.refresh();
  void made.refresh();
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await refreshing).toMatchObject({ status: 'unhealthy', checks: { db: { detail: 'no result within 10 s' } } });
  expect(told?.aborted).toBe(true);
});

test.each<[string, () => CheckResult | Promise<CheckResult>, string]>([
  [
    'throws',
    () => {
      throw new Error('no\x1b[31m route');
    },
    'no\\u001b[31m route',
  ],
  ['rejects', () => Promise.reject(new Error('x'.repeat(1000))), 'x'.repeat(200)],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  ['rejects with nothing', () => Promise.reject(), 'the check failed'],
])('a check that %s is unhealthy, with one short visible line', async (_, check, detail) => {
  expect((await health({ checks: [aCheck('healthy', { check })] }).refresh()).checks['db']).toEqual({
    status: 'unhealthy',
    priority: 'critical',
    detail,
  });
});

test('checks can be added and taken away while it runs [S0.118]', async () => {
  const made = health();
  const remove = made.add(aCheck('unhealthy', { name: 'mine', priority: 'important' }));
  expect(made.report().checks['mine']).toMatchObject({ status: 'healthy', detail: 'not checked yet' });
  expect(await made.refresh()).toMatchObject({
    status: 'degraded',
    checks: { mine: { status: 'unhealthy', priority: 'important' } },
  });
  expect(() => made.add(aCheck('healthy', { name: 'mine' }))).toThrow('already');
  expect(() => made.add(aCheck('healthy', { name: 'tool_ping' }))).toThrow('already');
  remove();
  expect(await made.refresh()).toMatchObject({ status: 'healthy', checks: {} });
});

test('a change of the overall state is reported once', async () => {
  const changes: string[] = [];
  let status: HealthStatus = 'healthy';
  const made = health({
    checks: [aCheck('healthy', { check: () => ({ status }) })],
    onChange: (from, to) => changes.push(`${from} ${to}`),
  });
  await made.refresh();
  status = 'unhealthy';
  await made.refresh();
  await made.refresh();
  expect(changes).toEqual(['healthy unhealthy']);
});

test('a machine under load informs and never takes the gateway out of service [S0.117]', async () => {
  const busy = resourceChecks({ cpu: () => 1, memory: () => 0.96, disk: () => Promise.resolve(0.99) });
  expect(await health({ checks: busy }).refresh()).toMatchObject({
    status: 'degraded',
    checks: {
      cpu: { priority: 'informational', status: 'healthy', detail: '100 % used' },
      memory: { status: 'degraded' },
      disk: { status: 'degraded' },
    },
  });
  const calm = resourceChecks({ cpu: () => 0.8, memory: () => 0.1, disk: () => Promise.resolve(0) });
  expect(await health({ checks: calm }).refresh()).toMatchObject({ status: 'healthy' });
});

test('the resources of this machine are parts of one', async () => {
  const resources = machineResources(aFolder());
  for (const used of [resources.memory(), await resources.disk()]) {
    expect(used).toBeGreaterThanOrEqual(0);
    expect(used).toBeLessThanOrEqual(1);
  }
  expect(resources.cpu()).toBeGreaterThanOrEqual(0);
  expect(resources.cpu()).toBeLessThanOrEqual(1);
});

test('a report for a caller has its tools, no details of other checks, and the status of the whole gateway', async () => {
  const made = health({
    tools: () => [
      aStatus({ tool: aTool({ name: 'hidden', unavailable: { code: 'command_missing', message: 'gone' } }) }),
    ],
    checks: [
      { name: 'sources', priority: 'important', check: () => ({ status: 'unhealthy', detail: 'secret-source: down' }) },
    ],
  });
  await made.refresh();
  const report = made.reportFor([aStatus({})]);
  expect(report.checks).toEqual({
    sources: { priority: 'important', status: 'unhealthy' },
    tool_ping: { priority: 'informational', status: 'healthy' },
  });
  expect(report.status).toBe(made.report().status);
  expect(report.summary).toMatchObject({ total: 2 });
});

test('a live check is read with every report, without waiting for the next round', () => {
  let problem: string | undefined;
  const watched = health({ checks: [liveCheck('audit', 'critical', () => problem)] });
  expect(watched.report().status).toBe('healthy');
  problem = 'the disk is full';
  expect(watched.report()).toMatchObject({ status: 'unhealthy', checks: { audit: { detail: 'the disk is full' } } });
  problem = undefined;
  expect(watched.report().status).toBe('healthy');
});
