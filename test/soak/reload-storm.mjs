// A storm of reloads under load: valid and invalid files alternate, sources, tokens and rules come and go. Prints figures, and exits with 1
// if a call on an unchanged source failed, a new tool ran under old rules, a removed token was accepted after the swap, or something leaked.
// Usage: node test/soak/reload-storm.mjs [reloads] (needs a build)
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const reloads = Number(process.argv[2] ?? 500);
/** A turn after which one server runs, as at the end. */
const warmUp = reloads > 100 ? 46 : 6;
const here = dirname(fileURLToPath(import.meta.url));
const serverFile = join(here, '../support/upstream/server.mjs');
const place = mkdtempSync(join(tmpdir(), 'reload-storm-'));
const file = join(place, 'toolgate.yaml');
const bob = 'bob-token-of-at-least-32-characters-0001';

const far = createServer((_, response) => response.end('{"up":true}')).listen(0, '127.0.0.1');
await new Promise((resolve) => far.once('listening', resolve));

const quiet = 'commands: { builtins: false }\nlog: { level: info }\nrate_limit: { requests: 100000 }\n';
const server = (id) => `
  ${id}: { kind: mcp, command: ${process.execPath}, args: ${JSON.stringify([serverFile])}, concurrency: 64 }`;
const web = `
  web: { kind: http, base_url: "http://127.0.0.1:${far.address().port}", tools: { state: { method: GET, path: /state, description: Reads the state } } }`;
const deny = (tools) =>
  `policy: { rules: [{ id: no-new, action: deny, tools: [${tools}] }, { id: rest, action: allow }] }\n`;
const token = `auth: { tokens: [{ name: bob, token: "${bob}", roles: [user] }] }\n`;
/** Each with the event it must cause, whether the token of bob is valid then, and its text; the number makes every text differ. */
const files = [
  (turn) => ({
    isValid: true,
    hasBob: false,
    text: `${quiet}${deny('web__state')}sources:${server('fix')}${web}\n# ${turn}\n`,
  }),
  (turn) => ({ isValid: false, text: `tool: { exclde: [] }\n# ${turn}\n` }),
  (turn) => ({ isValid: true, hasBob: true, text: `${quiet}${token}sources:${server('fix')}\n# ${turn}\n` }),
  (turn) => ({ isValid: false, text: `sources: { fix: { kind: mcp\n# ${turn}\n` }),
  (turn) => ({
    isValid: true,
    hasBob: false,
    text: `${quiet}${deny('extra__env, web__state')}sources:${server('fix')}${server('extra')}${web}\n# ${turn}\n`,
  }),
  (turn) => ({ isValid: false, text: `policy: { rules: [{ id: x, action: maybe }] }\n# ${turn}\n` }),
  (turn) => ({
    isValid: true,
    hasBob: true,
    text: `${quiet}${token}tool: { exclude: ["nothing-${turn}"] }\nsources:${server('fix')}\n`,
  }),
  (turn) => ({ isValid: false, text: `server: { port: -${turn + 1} }\n` }),
];

writeFileSync(file, files[2](-1).text);
// Reports the heap in use after a collection.
const probe = join(place, 'probe.mjs');
writeFileSync(
  probe,
  "process.on('SIGUSR2', () => { gc(); gc(); process.stderr.write(`heap-used:${process.memoryUsage().heapUsed}\\n`); });",
);
const gate = spawn(
  process.execPath,
  [
    '--expose-gc',
    `--import=${probe}`,
    join(here, '../../dist/cli.js'),
    'serve',
    '--http',
    '--port',
    '0',
    '--config',
    file,
  ],
  { cwd: place, env: { PATH: process.env.PATH, HOME: place, TOOLGATE_HOME: join(place, 'home') } },
);
process.once('exit', () => gate.kill('SIGKILL'));
const events = new Map();
const heaps = [];
let rest = '';
const waiting = new Set();
gate.stderr.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const heap = /^heap-used:(\d+)$/.exec(line)?.[1];
    if (heap) heaps.push(Number(heap));
    const event = /"event":"([^"]+)"/.exec(line)?.[1];
    if (event) events.set(event, (events.get(event) ?? 0) + 1);
  }
  for (const wake of waiting) wake();
});
let banner = '';
gate.stdout.setEncoding('utf8').on('data', (chunk) => (banner += chunk));
gate.once('exit', (code) => code && console.error(`the gate ended with ${code}: ${rest}`));

async function until(holds, what, patienceMs = 60_000) {
  const end = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what} did not happen in ${patienceMs} ms`);
    await Promise.race([
      pause(20),
      new Promise((resolve) => waiting.add(resolve) && setTimeout(() => waiting.delete(resolve), 20)),
    ]);
  }
}
await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(banner), 'the start');
const url = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)[0];
const owner = readFileSync(join(place, 'home/token'), 'utf8').trim();

const call = async (tool, as = owner) => {
  const answer = await fetch(`${url}/tools/${tool}/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: '{}',
  });
  await answer.arrayBuffer();
  return answer.status;
};

/** Heap in use after a collection; descriptors and descendants by /proc. */
async function usage() {
  const before = heaps.length;
  gate.kill('SIGUSR2');
  await until(() => heaps.length > before, 'the report of the heap');
  const heap = heaps.at(-1);
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // it ended meanwhile
    }
  const isBelow = (pid) => parents.get(pid) > 1 && (parents.get(pid) === gate.pid || isBelow(parents.get(pid)));
  return {
    heapMb: Math.round((heap / 1024 / 1024) * 10) / 10,
    residentMb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gate.pid}/status`, 'utf8'))[1]) / 1024),
    descriptors: readdirSync(`/proc/${gate.pid}/fd`).length,
    processes: [...parents.keys()].filter(isBelow).length,
  };
}

const stop = new AbortController();
const seen = { fix__echo: {}, extra__env: {}, web__state: {} };
const hammer = async (tool) => {
  while (!stop.signal.aborted) {
    const status = await call(tool).catch((error) => error.cause?.code ?? String(error));
    seen[tool][status] = (seen[tool][status] ?? 0) + 1;
  }
};
const load = ['fix__echo', 'fix__echo', 'fix__echo', 'extra__env', 'web__state'].map(hammer);

const wrongTokens = [];
let hasBob = true;
let warm;
const began = performance.now();
for (let turn = 0; turn < reloads; turn += 1) {
  const next = files[turn % files.length](turn);
  const event = next.isValid ? 'config.reloaded' : 'config.rejected';
  const before = events.get(event) ?? 0;
  if (turn % 10 === 0) {
    writeFileSync(`${file}.new`, next.text);
    renameSync(`${file}.new`, file);
  } else writeFileSync(file, next.text);
  await until(() => (events.get(event) ?? 0) > before, `turn ${turn}: ${event}`);
  if (next.isValid) hasBob = next.hasBob;
  const status = await call('fix__echo', bob);
  if (status !== (hasBob ? 200 : 401)) wrongTokens.push(`turn ${turn}: ${status}`);
  if (turn === warmUp) warm = await usage();
}
const seconds = Math.round((performance.now() - began) / 100) / 10;
writeFileSync(file, files[6](reloads).text);
const last = events.get('config.reloaded');
await until(() => events.get('config.reloaded') > last, 'the last reload');
stop.abort();
await Promise.all(load);
await call('fix__echo');
let end = await usage();
await until(async () => (end = await usage()).processes <= warm.processes, 'the end of removed servers', 90_000).catch(
  () => {},
);

const failures = [
  ...Object.keys(seen.fix__echo)
    .filter((status) => status !== '200')
    .map((status) => `calls on the unchanged source: ${status}`),
  ...['extra__env', 'web__state'].flatMap((tool) => (seen[tool][200] ? [`${tool} ran under old rules`] : [])),
  ...wrongTokens.map((each) => `token ${each}`),
  ...(end.processes > warm.processes ? ['processes grow'] : []),
  ...(end.descriptors > warm.descriptors + 12 ? ['descriptors grow'] : []),
  ...(end.heapMb > warm.heapMb + 20 ? ['the heap grows'] : []),
];
console.log(
  JSON.stringify(
    { reloads, seconds, answers: seen, maskLost: events.get('upstream.mask_lost') ?? 0, warm, end, failures },
    null,
    1,
  ),
);
gate.kill('SIGTERM');
await new Promise((resolve) => gate.once('exit', resolve));
far.close();
rmSync(place, { recursive: true, force: true });
process.exitCode = failures.length === 0 ? 0 : 1;
