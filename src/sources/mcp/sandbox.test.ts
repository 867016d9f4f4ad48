import { expect, test } from 'vitest';
import { never } from '../../../test/support/make.js';
import { aPlugin, someProcesses } from '../../../test/support/upstream.js';
import { config as schema } from './config.js';
import { describeSandbox, sandboxChoice, serverSandbox } from './sandbox.js';
import { sandboxFindings } from './sandbox-lint.js';

const entry = (sandbox: object, over: object = {}) =>
  schema.parse({ kind: 'mcp', ...('runtime' in over ? {} : { command: '/opt/server' }), sandbox, ...over });

test.each([
  [{}, 'bwrap guarded, host network'],
  [{ readable: ['/srv'] }, 'bwrap guarded, host network'],
  [{ network: 'none' }, 'bwrap guarded, no network'],
  [{ profile: 'strict' }, 'bwrap strict, no network'],
  [{ tier: 'bwrap', profile: 'guarded' }, 'bwrap guarded, host network'],
  // Entries of earlier versions are never widened.
  [{ tier: 'bwrap' }, 'bwrap strict, no network'],
  [{ tier: 'bwrap', network: 'host' }, 'bwrap strict, host network'],
  [{ tier: 'none' }, 'unsandboxed'],
])('%j is %s', (sandbox, text) => {
  expect(describeSandbox(entry(sandbox).sandbox)).toBe(text);
});

test('a weak tier is a finding of check, and so is a setting without effect', () => {
  const rules = (sandbox: object) => sandboxFindings(entry(sandbox)).map(({ rule, key }) => `${rule} ${key}`);
  expect(rules({})).toEqual([]);
  expect(rules({ tier: 'prlimit' })).toEqual(['weak-sandbox sandbox.tier']);
  expect(rules({ tier: 'none', unmasked: ['~/.ssh'], writable: ['/srv'] })).toEqual([
    'weak-sandbox sandbox.tier',
    'unused-sandbox-setting sandbox.unmasked',
    'unused-sandbox-setting sandbox.writable',
  ]);
  expect(rules({ profile: 'strict', masked: ['/srv/keys'] })).toEqual(['unused-sandbox-setting sandbox.masked']);
});

test('paths are relative to the configuration, and ~ is the home of the user', () => {
  const sandbox = { unmasked: ['~/.ssh'], masked: ['keys'], writable: ['~'] };
  expect(serverSandbox(entry(sandbox), '/etc/gate', { HOME: '/home/ada' })).toMatchObject({
    guarded: { unmasked: ['/home/ada/.ssh'], masked: ['/etc/gate/keys'] },
    writable: ['/home/ada'],
    cwd: '/etc/gate',
  });
});

test('the strict profile shows the working directory, read-only unless it is listed as writable', () => {
  const strict = (sandbox: object) =>
    serverSandbox(entry({ profile: 'strict', ...sandbox }, { cwd: '/srv/app/data' }), '/etc/gate', {});
  expect(strict({})).toMatchObject({ readable: ['/srv/app/data'], writable: [], cwd: '/srv/app/data' });
  expect(strict({ writable: ['/srv/app'] })).toMatchObject({ readable: [], writable: ['/srv/app'] });
  expect(serverSandbox(entry({ profile: 'strict' }), '/etc/gate', {})).not.toHaveProperty('cwd');
});

test('only an entry that runs Docker sees its socket', () => {
  const sockets = (over: object): readonly string[] =>
    serverSandbox(entry({}, over), '/', { HOME: '/home/ada' }).guarded?.unmasked ?? [];
  expect(sockets({})).toEqual([]);
  expect(sockets({ command: 'docker', args: ['run', '-i', 'image'] })).toContain('/run/docker.sock');
  expect(sockets({ runtime: 'docker', args: ['image'] })).toContain('/run/docker.sock');
});

test('without a working sandbox the server is not started, and the message names the remedies', async () => {
  const local = someProcesses();
  const refused = {
    ...local,
    open: () =>
      Promise.resolve({
        kind: 'refused',
        reason: 'sandbox_unavailable',
        message: 'The bwrap sandbox is not available: bwrap is not installed (package bubblewrap)',
      } as const),
  };
  const { tier } = sandboxChoice(entry({}).sandbox);
  const source = aPlugin({ processes: refused, plugin: { tier } });
  await expect(source.list(never)).rejects.toThrow(
    /bwrap is not installed.*Install bubblewrap.*sandbox\.tier of this source to prlimit .* or none/,
  );
});
