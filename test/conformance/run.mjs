// Runs the official conformance suites against a real gateway and ends with one line; exit code 0 only when everything passed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const suite = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const older = join(here, 'node_modules/conformance-0.1/dist/index.js');
const node22 = join(here, 'node_modules/node/bin/node');

const run = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });

async function ready() {
  const built = await run(process.execPath, [join(root, 'scripts/setup.mjs'), '--build'], { cwd: root });
  if (built.code !== 0) throw new Error(built.output);
  if (existsSync(suite) && existsSync(older) && existsSync(node22)) return;
  console.log('Installing the conformance suites …');
  // The package `node` fetches the right binary in its install script; nothing else here needs one.
  const installed = await run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--foreground-scripts',
  ]);
  if (installed.code !== 0 || !existsSync(node22))
    throw new Error(`The suites could not be installed:\n${installed.output}`);
}

/** Passed and failed checks by scenario, and the ones that do not count. */
function read(output) {
  const checks = new Map();
  for (const [, name, passed, failed] of output.matchAll(/^[✓✗] ([\w./-]+): (\d+) passed, (\d+) failed/gm))
    checks.set(name, { passed: Number(passed), failed: Number(failed) });
  const unscored = new Set([...output.matchAll(/^ {2}[✓✗] ([\w./-]+) \(([\w-]+)\)/gm)].map(([, name]) => name));
  return { checks, unscored };
}

const sum = (entries) =>
  entries.reduce((all, [, { passed, failed }]) => ({ passed: all.passed + passed, failed: all.failed + failed }), {
    passed: 0,
    failed: 0,
  });

const plans = [
  { name: '2025-11-25', args: [suite, 'server', '--requirements', '2025-11-25'], at: 'json', atLeast: 69 },
  { name: '2025-11-25 streamed', args: [suite, 'server', '--requirements', '2025-11-25'], at: 'stream', atLeast: 70 },
  {
    name: '2026-07-28',
    args: [suite, 'server', '--requirements', '2026-07-28'],
    at: 'json',
    atLeast: 120,
    tasksAtLeast: 44,
  },
  {
    name: '2025-11-25 through a gateway, remote',
    args: [suite, 'server', '--requirements', '2025-11-25'],
    at: 'remoteLegacy',
    atLeast: 70,
    onlyScored: true,
  },
  {
    name: '2025-11-25 through a gateway, plugin',
    args: [suite, 'server', '--requirements', '2025-11-25'],
    at: 'pluginLegacy',
    atLeast: 70,
    onlyScored: true,
  },
  {
    name: '2026-07-28 through a gateway, remote',
    args: [suite, 'server', '--requirements', '2026-07-28'],
    at: 'remoteModern',
    atLeast: 120,
    tasksAtLeast: 44,
  },
  {
    name: '2026-07-28 through a gateway, plugin',
    args: [suite, 'server', '--requirements', '2026-07-28'],
    at: 'pluginModern',
    atLeast: 120,
    tasksAtLeast: 44,
  },
  { name: '0.1.16 all', args: [older, 'server', '--suite', 'all'], at: 'stream', atLeast: 44 },
];

async function main() {
  await ready();
  const { serveFixture } = await import('./serve.mjs');
  const { serveThrough } = await import('./through.mjs');
  const servers = {
    json: await serveFixture(),
    stream: await serveFixture({ legacyAnswers: 'stream' }),
    remoteLegacy: await serveThrough({ kind: 'remote', era: 'legacy', legacyAnswers: 'stream' }),
    pluginLegacy: await serveThrough({ kind: 'plugin', era: 'legacy', legacyAnswers: 'stream' }),
    remoteModern: await serveThrough({ kind: 'remote', era: 'modern' }),
    pluginModern: await serveThrough({ kind: 'plugin', era: 'modern' }),
  };
  const lines = [];
  let complete = true;
  for (const { name, args, at, atLeast, tasksAtLeast, onlyScored } of plans) {
    const { output } = await run(node22, [...args, '--url', servers[at].url]);
    const { checks, unscored } = read(output);
    const all = [...checks];
    const scored = sum(all.filter(([scenario]) => !unscored.has(scenario)));
    const every = sum(all);
    const tasks = sum(all.filter(([scenario]) => scenario.startsWith('tasks-')));
    const good =
      (onlyScored ? scored : every).failed === 0 && scored.passed >= atLeast && tasks.passed >= (tasksAtLeast ?? 0);
    complete &&= good;
    lines.push(
      `${name} ${scored.passed}/${scored.passed + scored.failed}${tasksAtLeast ? `, tasks ${tasks.passed}/${tasks.passed + tasks.failed}` : ''}`,
    );
    console.log(
      `${good ? '✓' : '✗'} ${lines.at(-1)} (with the unscored ${every.passed}/${every.passed + every.failed})`,
    );
    if (!good) console.log(output.slice(-8_000));
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()));
  console.log(`conformance: ${complete ? 'complete' : 'INCOMPLETE'}: ${lines.join('; ')}`);
  return complete ? 0 : 1;
}

process.exitCode = await main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  console.log('conformance: could not run');
  return 1;
});
