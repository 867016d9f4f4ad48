import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary.js';
import { aPlace, serving, toolgate } from './support/toolgate.js';

const file = (path: string): string => readFileSync(join('deploy', path), 'utf8');
const has = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;
const run = (program: string, args: readonly string[], cwd = 'deploy') =>
  spawnSync(program, args, { cwd, encoding: 'utf8' });

/** The program that a file is for, where it is installed; elsewhere the check says that it was skipped. */
const withProgram = (program: string) => {
  if (!has(program)) process.stderr.write(`${program} is not installed: its check of deploy/ is skipped\n`);
  return test.runIf(has(program));
};

/** Anchors of compose files are merged, as compose does. */
const parseYaml = (text: string): unknown => parse(text, { merge: true });

const secrets = {
  TOOLGATE_CI_TOKEN: 'a-token-for-tests-only-0123456789',
  CLUSTER_SECRET: 'a-cluster-secret-for-tests-only-0123456789',
  POSTGRES_URL: 'postgres://toolgate:x@127.0.0.1/toolgate',
  VALKEY_URL: 'redis://127.0.0.1:6379',
};

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
}
const manifests = loadAll(file('kubernetes/toolgate.yaml')) as readonly Manifest[];
const configOfCluster = manifests.find(({ kind }) => kind === 'ConfigMap')?.data?.['toolgate.yaml'] ?? '';

test.each([
  ['container/toolgate.yaml', file('container/toolgate.yaml')],
  ['compose/toolgate.yaml', file('compose/toolgate.yaml')],
  ['the ConfigMap', configOfCluster],
])('the configuration of %s is accepted by `check`', async (_name, text) => {
  const { code, out, err } = await toolgate(aPlace({ 'toolgate.yaml': text }), ['check'], secrets);
  expect(`${out}${err}`).not.toMatch(/error/i);
  expect(code).toBe(0);
});

describe('metrics', () => {
  const names = (text: string): ReadonlySet<string> =>
    new Set(
      text.match(/\b(?:mcp|process|nodejs)_[a-z0-9_]+/g)?.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')),
    );

  test('every metric of the rules and the dashboard exists, and every metric of the gateway is used', async () => {
    const gate = await serving(aPlace());
    const page = (await gate.send('/metrics')).text;
    const known = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const used = new Set([...names(file('prometheus/toolgate.rules.yml')), ...names(file('grafana/toolgate.json'))]);
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
    const own = [...known].filter((name) => name?.startsWith('mcp_') && !name.endsWith('_transitions_total'));
    expect(own.filter((name) => !used.has(name ?? ''))).toEqual([]);
    for (const path of ['/livez', '/readyz'])
      expect([path, (await fetch(gate.url + path)).status, file('kubernetes/toolgate.yaml').includes(path)]).toEqual([
        path,
        200,
        true,
      ]);
    await gate.stop();
  });

  withProgram('promtool')('promtool accepts the rules, and their tests pass', () => {
    expect(run('promtool', ['check', 'rules', 'prometheus/toolgate.rules.yml']).status).toBe(0);
    expect(run('promtool', ['test', 'rules', 'toolgate.rules.test.yml'], 'deploy/prometheus').status).toBe(0);
  });
});

test('a container stops later than the gateway drains', () => {
  const { services } = parseYaml(file('compose/compose.yaml')) as {
    readonly services: Readonly<Record<string, { readonly stop_grace_period?: string; readonly read_only?: boolean }>>;
  };
  const { server } = parseYaml(file('compose/toolgate.yaml')) as {
    readonly server: { readonly drain_delay: number; readonly shutdown_grace_period: number };
  };
  for (const name of ['gate-1', 'gate-2']) {
    expect(services[name]?.read_only).toBe(true);
    expect(parseInt(services[name]?.stop_grace_period ?? '0', 10)).toBeGreaterThan(
      server.drain_delay + server.shutdown_grace_period,
    );
  }
});

withProgram('nginx')('nginx accepts the configuration', () => {
  const folder = mkdtempSync(join(temporaryFolder('nginx'), 'conf-'));
  const site = file('nginx/toolgate.conf')
    .replaceAll(/gate-\d:8080/g, '127.0.0.1:9')
    .replace('listen 8080', 'listen 127.0.0.1:8080');
  writeFileSync(join(folder, 'site.conf'), site);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `events {}\npid ${folder}/pid;\nerror_log ${folder}/log;\nhttp { access_log off; include ${folder}/site.conf; }\n`,
  );
  const { status, stderr } = run('nginx', ['-t', '-q', '-c', join(folder, 'nginx.conf')]);
  expect([status, stderr.replace(/^.*could not open error log file.*\n/m, '')]).toEqual([0, '']);
});

withProgram('haproxy')('haproxy accepts the configuration', () => {
  expect(run('haproxy', ['-c', '-f', 'haproxy/haproxy.cfg']).status).toBe(0);
});
