import { expect, test } from 'vitest';
import { defaults } from './defaults.js';
import { editorSchema, keysOf, reloadOf } from './keys.js';
import { reloadReport } from './reload-report.js';
import type { Config } from './schema.js';

test('the keys that need a restart are these and no others', () => {
  const all = keysOf(editorSchema()).map(({ path }) => path);
  expect(all.filter((path) => reloadOf(path) === 'restart').map((path) => path.join('.'))).toEqual([
    'server.transport',
    'server.host',
    'server.port',
    'server.mcp_path',
    'server.legacy_sse',
    'server.max_sessions',
    'server.session_idle_seconds',
    'server.background.http',
    'access.local_profile',
    'security.best_effort_sandbox',
    'state.directory',
    'cluster',
    'cluster.secret',
    'cluster.previous_secret',
    'cluster.postgres',
    'cluster.valkey',
    'cluster.replica',
    'cluster.limits_on_failure',
    'cluster.max_stale_seconds',
    'cluster.peer',
    'cluster.peer.listen',
    'cluster.peer.advertise',
    'cluster.sticky',
  ]);
});

test('a key that needs a restart is reported until it is changed back; live keys are reported once', () => {
  const start: Config = defaults;
  const changed: Config = { ...start, server: { ...start.server, port: 1 }, log: { ...start.log, level: 'debug' } };
  expect(reloadReport(start, start, changed)).toEqual({ applied: ['log.level'], needs_restart: ['server.port'] });
  expect(reloadReport(start, changed, changed)).toEqual({ applied: [], needs_restart: ['server.port'] });
  expect(reloadReport(start, changed, start)).toEqual({ applied: ['log.level'], needs_restart: [] });
});
