import { expect, test } from 'vitest';
import { brokerSerial } from '../sweep/process-marker.js';
import { protectedPaths } from './protected-paths.js';
import { launcherFailure, probeTiers } from './tiers.js';

const paths = protectedPaths({ HOME: '/nonexistent' }, []);
const mark = { instance: 1, serial: brokerSerial };

test('a tier is reported with a reason exactly when it is not available', async () => {
  const { bwrap, bwrapNoNetwork, guarded, prlimit, processLimit } = await probeTiers(mark, true, paths);
  for (const state of [bwrap, bwrapNoNetwork, guarded, prlimit, processLimit])
    expect(state.available).toBe(state.reason === undefined);
});

test('another system has no tier and a reason, without trying anything', async () => {
  const report = await probeTiers(mark, false, paths, 'darwin');
  for (const state of [report.bwrap, report.bwrapNoNetwork, report.guarded, report.prlimit, report.processLimit]) {
    expect(state).toMatchObject({ available: false, reason: expect.stringContaining('darwin') });
  }
});

test.each([
  [1, 'prlimit: failed to set the NOFILE resource limit: Operation not permitted', 'sandbox_unavailable'],
  [1, 'bwrap: Creating new namespace failed: Operation not permitted', 'sandbox_unavailable'],
  [127, 'setpriv: failed to execute /opt/tool: No such file or directory', 'spawn_failed'],
  [1, 'bwrap: execvp /opt/tool: Exec format error', 'spawn_failed'],
])('exit code %i with "%s" was never the program', (code, words, reason) => {
  expect(launcherFailure(code, words, false)).toMatchObject({ reason });
});

test.each([
  [1, 'ping: bwrap: no such host', false],
  [0, 'bwrap: warning', false],
  [1, 'bwrap: imitated', true],
  [null, 'bwrap: killed', false],
])('exit code %j with "%s" is the program itself', (code, words, sawStdout) => {
  expect(launcherFailure(code, words, sawStdout)).toBeUndefined();
});
