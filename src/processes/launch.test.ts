import { expect, test } from 'vitest';
import { aSpec } from '../../test/support/processes.js';
import { planLaunch, type LaunchContext } from './launch.js';
import type { ProcessSpec } from './process-spec.js';
import { noTiers, type TierReport } from './sandbox/tiers.js';

const yes = { available: true };
const no = { available: false, reason: 'it is not installed' };
const launchers = {
  prlimit: '/usr/bin/prlimit',
  setpriv: '/usr/bin/setpriv',
  bwrap: '/usr/bin/bwrap',
  features: { size: true, disableUserns: true },
};
const ground = (over: Partial<TierReport> = {}, more: Partial<LaunchContext> = {}): LaunchContext => ({
  report: { bwrap: yes, bwrapNoNetwork: yes, guarded: yes, prlimit: yes, processLimit: yes, launchers, ...over },
  bestEffort: false,
  uid: 1000,
  ownLimits: '',
  hasCgroups: false,
  paths: { hidden: [], masked: [], readOnly: [] },
  ...more,
});
const planned = (spec: ProcessSpec, on: LaunchContext) => planLaunch(spec, 1n, on);

test.each<[string, Partial<ProcessSpec>, Partial<TierReport>]>([
  ['bwrap is missing', { tier: 'bwrap' }, { bwrap: no }],
  ['a network cannot be taken away', { tier: 'bwrap', network: 'none' }, { bwrapNoNetwork: no }],
  ['prlimit is missing', { tier: 'prlimit' }, { prlimit: no }],
  ['limits alone cannot take the network away', { tier: 'prlimit', network: 'none' }, {}],
  ['bwrap cannot give privileges to a plain user', { tier: 'bwrap', newPrivileges: true }, {}],
])('a run is refused, never weakened, when %s [S0.63]', (_, spec, report) => {
  expect(planned(aSpec('true', spec), ground(report))).toMatchObject({
    kind: 'refused',
    reason: 'sandbox_unavailable',
  });
});

test('only an explicit best effort runs in a weaker tier, and the result names it', () => {
  expect(planned(aSpec('true', { tier: 'bwrap' }), ground({ bwrap: no }, { bestEffort: true }))).toMatchObject({
    tier: 'prlimit',
  });
  expect(planned(aSpec('true'), ground({ prlimit: no }, { bestEffort: true }))).toMatchObject({ tier: 'none' });
});

test('tier none starts the program alone, also on a machine without tiers', () => {
  const bare = { report: noTiers('sandboxing needs Linux; this is darwin') };
  expect(planned(aSpec('true', { tier: 'none' }), ground({}, bare))).toEqual({
    kind: 'launch',
    tier: 'none',
    argv: ['/bin/sh', '-c', 'true'],
    cwd: '/',
  });
  expect(planned(aSpec('true', { tier: 'none', network: 'none' }), ground({}, bare))).toMatchObject({
    kind: 'refused',
  });
});

test('a guarded run is refused if only the other profile works', () => {
  const spec = aSpec('true', { tier: 'bwrap', guarded: {} });
  expect(planned(spec, ground({ guarded: no }))).toMatchObject({ kind: 'refused', reason: 'sandbox_unavailable' });
  expect(planned(spec, ground())).toMatchObject({ kind: 'launch', tier: 'bwrap' });
});

test.each<[string, Partial<ProcessSpec>, string]>([
  ['a relative program', { file: 'sh' }, 'spawn_failed'],
  ['a missing program', { file: '/nowhere/sh' }, 'not_found'],
  ['a folder as a program', { file: '/usr' }, 'not_found'],
  ['a file that may not be executed', { file: '/proc/self/status' }, 'not_found'],
  ['a NUL in an argument', { args: ['a\0b'] }, 'spawn_failed'],
  ['a NUL in a variable', { env: { A: 'x\0y' } }, 'spawn_failed'],
  ['code loaded into the launchers', { env: { LD_PRELOAD: '/tmp/evil.so' } }, 'spawn_failed'],
  ['a loader path', { env: { LD_LIBRARY_PATH: '/tmp' } }, 'spawn_failed'],
  ['two variables in one name', { env: { 'A=1\nB': 'x' } }, 'spawn_failed'],
  ['a working directory that is not there', { cwd: '/nowhere' }, 'spawn_failed'],
])('%s starts nothing', (_, spec, reason) => {
  expect(planned(aSpec('true', spec), ground())).toMatchObject({ kind: 'refused', reason });
});

test('the program and its arguments come last and untouched, whatever they look like', () => {
  const args = ['--', '-rf', '$(id)', '; reboot', ''];
  for (const tier of ['prlimit', 'bwrap'] as const) {
    const plan = planned(aSpec('', { args, tier }), ground());
    expect(plan).toMatchObject({ kind: 'launch', tier });
    if (plan.kind === 'launch') expect(plan.argv.slice(-7)).toEqual(['--', '/bin/sh', ...args]);
  }
});

test('no_new_privs is left out only where a program declares that it needs privileges', () => {
  const flags = (newPrivileges: boolean) => JSON.stringify(planned(aSpec('true', { newPrivileges }), ground()));
  expect(flags(false)).toContain('--no-new-privs');
  expect(flags(true)).not.toContain('--no-new-privs');
});
