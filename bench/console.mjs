// The console under 10,000 calls a minute: frames, memory and delay of an open page, CPU of the gateway with and without it, and the
// cost of recording stages. Needs Chromium (CHROMIUM, by default /usr/bin/chromium); SECONDS sets the length of each phase.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { recordStages, stageRecorders } from '../dist/core/stage.js';
import { stageLog } from '../dist/observe/stage-log.js';

const cli = join(dirname(fileURLToPath(import.meta.url)), '../dist/cli.js');
const callsPerMinute = 10_000;
const seconds = Number(process.env.SECONDS ?? 20);
const everyMs = 50;

const echoServer = `import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'echo', description: 'Echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } }, annotations: { readOnlyHint: true } }] } });
  else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'ok' }] } });
  else send({ id, result: {} });
});
`;

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-load-'));
  const env = { PATH: process.env.PATH, HOME: folder, TOOLGATE_HOME: join(folder, 'home') };
  writeFileSync(join(folder, 'echo.mjs'), echoServer);
  writeFileSync(
    join(folder, 'toolgate.yaml'),
    `sources:
  load: { kind: mcp, command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(join(folder, 'echo.mjs'))}], admission: open, sandbox: { tier: none } }
rate_limit: { requests: 100000 }
server: { peer_rate_per_second: 0 }
log: { level: warn }
`,
  );
  const gate = spawn(process.execPath, [cli, 'serve', '--http', '--port', '0'], { cwd: folder, env });
  let browser;
  try {
    const url = await listening(gate);
    const token = readFileSync(join(folder, 'home/token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { tools } = await (await fetch(`${url}/tools`, { headers })).json();
    const name = tools.find((tool) => tool.name.endsWith('echo')).name;
    const call = async () => {
      const answer = await fetch(`${url}/tools/${name}/execute`, { method: 'POST', headers, body: '{"text":"x"}' });
      await answer.text();
      return answer.status;
    };
    // Long enough for the compiler: a cold gateway would make the page look cheap.
    await load(call, Math.max(10, seconds / 2));
    const alone = await measured(gate.pid, () => load(call, seconds));
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    const address = execFileSync(process.execPath, [cli, 'console', '--print', '--url', url], { cwd: folder, env })
      .toString()
      .trim();
    await page.goto(address.replace('/console#', '/console/calls#'));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(observePage);
    await load(call, 3);
    await page.evaluate('window.measurement.reset()');
    const watched = await measured(gate.pid, () => load(call, seconds));
    const seen = await page.evaluate('window.measurement.read()');
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    await session.send('Performance.enable');
    const { metrics } = await session.send('Performance.getMetrics');
    const heap = metrics.find(({ name: metric }) => metric === 'JSHeapUsedSize')?.value ?? Number.NaN;
    const renderer = await rendererMemory(browser);
    return {
      calls_per_minute: Math.round((watched.calls / watched.seconds) * 60),
      refused_calls: watched.failed,
      frames_per_second: seen.fps,
      page_heap_mb: Math.round(heap / 1e5) / 10,
      page_private_mb: renderer,
      event_to_row_ms: { p50: seen.p50, p95: seen.p95, rows: seen.rows },
      gate_cpu_per_call_us: { alone: alone.cpuUs, watched: watched.cpuUs, ratio: round(watched.cpuUs / alone.cpuUs) },
      stage_recording: await stageCost(),
    };
  } finally {
    await browser?.close();
    gate.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const round = (value) => Math.round(value * 100) / 100;

function listening(gate) {
  let out = '';
  return new Promise((resolve, reject) => {
    gate.on('exit', (code) => reject(new Error(`the gateway ended with ${code}`)));
    gate.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes('Try it:')) resolve(/listens on (\S+)/.exec(out)[1]);
    });
  });
}

/** Calls at a constant rate, open loop: a slow gateway does not slow the load down. */
async function load(call, forSeconds) {
  const started = performance.now();
  const pending = new Set();
  let sent = 0;
  let failed = 0;
  while (performance.now() - started < forSeconds * 1000) {
    const due = Math.floor(((performance.now() - started) / 60_000) * callsPerMinute);
    for (; sent < due; sent += 1) {
      const one = call()
        .then((status) => (failed += status === 200 ? 0 : 1))
        .catch(() => (failed += 1))
        .finally(() => pending.delete(one));
      pending.add(one);
    }
    await wait(everyMs);
  }
  await Promise.all(pending);
  return { calls: sent, failed, seconds: (performance.now() - started) / 1000 };
}

/** CPU time of the gateway process per call, from /proc. */
async function measured(pid, work) {
  const cpuOf = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  };
  const before = cpuOf();
  const result = await work();
  return { ...result, cpuUs: Math.round((cpuOf() - before) / result.calls) };
}

/** Private memory of the largest renderer process in MB: heap, DOM, styles and layers of the page, without shared libraries. */
async function rendererMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
      const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].map(([, size]) => Number(size));
      return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
    });
  return Math.round(Math.max(...sizes));
}

/** Runs in the page: counts frames, and the time from an event of the gateway to its row. */
const observePage = `(() => {
  let frames = 0, since = performance.now(), delays = [];
  const tick = () => { frames += 1; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  const known = new Set();
  const look = () => {
    for (const row of document.querySelectorAll('tr[data-call]')) {
      if (known.has(row.dataset.call)) continue;
      known.add(row.dataset.call);
      delays.push(Date.now() - Date.parse(row.querySelector('time').dateTime));
    }
  };
  look();
  new MutationObserver(look).observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true });
  window.measurement = {
    reset() { frames = 0; delays = []; since = performance.now(); },
    read() {
      const sorted = delays.sort((a, b) => a - b);
      const at = (part) => sorted[Math.floor(part * sorted.length)] ?? null;
      return { fps: Math.round(frames / ((performance.now() - since) / 1000)), p50: at(0.5), p95: at(0.95), rows: sorted.length };
    },
  };
})()`;

/** CPU time per call of seventeen empty guards, ten of them with work behind `next` as in the pipeline: bare, unwatched, recorded. */
async function stageCost() {
  const awaiting = (_tool, next) => async (call) => {
    const outcome = await next(call);
    return outcome;
  };
  const forwarding = (_tool, next) => (call) => next(call);
  const stages = Array.from({ length: 17 }, (_, at) => ({
    name: `guard${at}`,
    guard: at < 10 ? awaiting : forwarding,
  }));
  const chain = (all) =>
    all.reduceRight(
      (next, { guard }) => guard({}, next),
      async () => ({ kind: 'done' }),
    );
  const recorders = stageRecorders();
  const bare = chain(stages);
  const recorded = chain(recordStages(stages, recorders));
  const choose = (call) => (recorders.isActive() ? recorded : bare)(call);
  const cost = async (handler) => {
    const runs = 30_000;
    let best = Infinity;
    for (let round = 0; round < 5; round += 1) {
      const before = process.cpuUsage();
      for (let n = 0; n < runs; n += 1) await handler({ id: `c${n}` });
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, (user + system) / runs);
    }
    return best;
  };
  const plain = await cost(bare);
  const unwatched = await cost(choose);
  recorders.add(stageLog());
  const watched = await cost(choose);
  return { unwatched_us: round(unwatched - plain), watched_us: round(watched - plain), stages: stages.length };
}
