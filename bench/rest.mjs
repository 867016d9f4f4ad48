// REST execute of a no-op tool through the built gateway, against a bare node:http JSON echo; plus idle memory
// and the time from start to the first response. Every response is checked, and arguments differ from call to call.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const rounds = 3;
const calls = 3000;

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const echo = await started(join(here, 'servers/echo.mjs'), [], folder);
  const gate = await started(join(here, 'servers/noop-gate.mjs'), [], folder);
  const figures = {};
  try {
    for (const connections of [1, 16, 64]) {
      const taken = { echo: [], gate: [] };
      for (let round = 0; round < rounds; round += 1) {
        taken.echo.push(await load(echo, connections, '/echo', (body, n) => body.text === `n${n}`));
        taken.gate.push(
          await load(
            gate,
            connections,
            '/tools/noop/execute',
            (body, n) => body.stdout === `n${n}` && body.returncode === 0,
          ),
        );
      }
      const [bare, ours] = [best(taken.echo), best(taken.gate)];
      figures[`${connections} connections`] = {
        echo: bare,
        gate: ours,
        cpuRatio: round2(ours.cpuMicrosPerCall / bare.cpuMicrosPerCall),
      };
    }
  } finally {
    echo.child.kill();
    gate.child.kill();
  }
  const start = await startUp(folder);
  rmSync(folder, { recursive: true, force: true });
  return { calls, rounds, ...figures, ...start };
}

/** Starts a server that prints its port; returns a function that reads its CPU time. */
function started(script, argv, home, env = {}) {
  const child = spawn(process.execPath, [script, ...argv], {
    env: { ...process.env, TOOLGATE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
      const port = /port (\d+)/.exec(out)?.[1];
      if (port !== undefined) resolve({ child, port: Number(port) });
    });
    child.on('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
}

async function load({ child, port }, connections, path, right) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times = [];
  let next = 0;
  const before = cpuTicks(child.pid);
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < calls) {
        const n = next;
        next += 1;
        const at = performance.now();
        const body = await post(agent, port, path, { text: `n${n}` });
        times.push(performance.now() - at);
        if (!right(body, n)) throw new Error(`a wrong answer: ${JSON.stringify(body).slice(0, 200)}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    perSecond: Math.round(calls / seconds),
    cpuMicrosPerCall: round2(((cpuTicks(child.pid) - before) * 10_000) / calls),
    p50Ms: round2(times[Math.floor(times.length * 0.5)]),
    p99Ms: round2(times[Math.floor(times.length * 0.99)]),
    rssMb: rssMb(child.pid),
  };
}

function post(agent, port, path, value) {
  const text = JSON.stringify(value);
  return new Promise((resolve, reject) => {
    const req = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        path,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          authorization: 'Bearer bench-token-of-at-least-32-characters',
        },
      },
      (res) => {
        let body = '';
        res
          .setEncoding('utf8')
          .on('data', (chunk) => {
            body += chunk;
          })
          .on('end', () => resolve(JSON.parse(body)));
      },
    );
    req.on('error', reject);
    req.end(text);
  });
}

/** From the start of the process to the first answer of the real program, and what it weighs then. */
async function startUp(folder) {
  const times = [];
  let rss = 0;
  for (let round = 0; round < 7; round += 1) {
    const home = mkdtempSync(join(folder, 'home-'));
    writeFileSync(join(home, 'token'), 'bench-token-of-at-least-32-characters\n', { mode: 0o600 });
    const at = performance.now();
    const child = spawn(process.execPath, [join(here, '../dist/cli.js'), 'serve', '--http', '--port', '0'], {
      cwd: home,
      env: { ...process.env, TOOLGATE_HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const port = await new Promise((resolve) => {
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        out += chunk;
        const found = /listens on \S+:(\d+)/.exec(out)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    });
    await new Promise((resolve, reject) =>
      request(
        {
          port,
          host: '127.0.0.1',
          path: '/tools',
          headers: { authorization: 'Bearer bench-token-of-at-least-32-characters' },
        },
        (res) => res.resume().on('end', resolve),
      )
        .on('error', reject)
        .end(),
    );
    times.push(performance.now() - at);
    rss = rssMb(child.pid);
    child.kill();
    await new Promise((resolve) => child.on('exit', resolve));
  }
  times.sort((a, b) => a - b);
  return { startToFirstAnswerMs: { min: Math.round(times[0]), median: Math.round(times[3]) }, restingRssMb: rss };
}

const cpuTicks = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
};
const rssMb = (pid) => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
const best = (runs) => runs.toSorted((a, b) => a.cpuMicrosPerCall - b.cpuMicrosPerCall)[0];
const round2 = (value) => Math.round(value * 100) / 100;
