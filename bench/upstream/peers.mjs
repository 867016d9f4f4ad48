import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { place } from '../mcp/process.mjs';

const echo = place('upstream/echo-stdio.mjs');
const bin = (name, file) => place(`peers/node_modules/${name}/${file}`);

/** Brings the gateways to compare with; false, with one line, where that is not possible. */
export function havePeers() {
  const there = () =>
    ['mcp-hub', 'mcp-proxy', 'supergateway'].every((name) => existsSync(place(`peers/node_modules/${name}`)));
  if (!there())
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: place('peers'),
      stdio: 'ignore',
    });
  if (!there()) console.error('skipped: the peers could not be installed');
  return there();
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const ticksMicros = 10_000;
function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
}

/** CPU of a process and all below it, except the upstream itself, and the memory of the process. */
export function costOf(root) {
  const all = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      all.set(Number(name), { ...stat(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8') });
    } catch {}
  }
  let ticks = 0;
  const visit = (pid) => {
    const entry = all.get(pid);
    if (
      !entry ||
      (entry.command.includes('echo-stdio.mjs') &&
        !/supergateway|mcp-proxy|mcp-hub/.test(entry.command.split('echo-stdio.mjs')[0]))
    )
      return;
    ticks += entry.ticks;
    for (const [child, { parent }] of all) if (parent === pid) visit(child);
  };
  visit(root);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${root}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  return { micros: ticks * ticksMicros, rssMb: Math.round(rss) };
}

async function answering(port, path, until) {
  while (performance.now() < until) {
    try {
      await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1_000) });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error('a peer did not start');
}

/** Starts a peer in front of the same upstream; it is ended with its whole group. */
export async function startPeer(name) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-peer-'));
  const config = join(folder, 'hub.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { up: { command: process.execPath, args: [echo] } } }));
  const words = {
    'mcp-hub': [bin('mcp-hub', 'dist/cli.js'), '--port', String(port), '--config', config],
    'mcp-proxy': [
      bin('mcp-proxy', JSON.parse(readFileSync(bin('mcp-proxy', 'package.json'), 'utf8')).bin['mcp-proxy']),
      '--port',
      String(port),
      '--host',
      '127.0.0.1',
      '--',
      process.execPath,
      echo,
    ],
    supergateway: [
      bin('supergateway', 'dist/index.js'),
      '--stdio',
      `${process.execPath} ${echo}`,
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--port',
      String(port),
      '--logLevel',
      'none',
    ],
  }[name];
  const child = spawn(process.execPath, words, {
    stdio: 'ignore',
    detached: true,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  await answering(port, '/', performance.now() + 30_000);
  // The hub responds before its server is ready.
  const most = name === 'mcp-hub' ? 100 : 0;
  for (let tries = 0; tries < most; tries += 1) {
    const probe = await fetch(`http://127.0.0.1:${port}/api/servers/tools`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ server_name: 'up', tool: 'echo', arguments: { text: 'x' } }),
    });
    if (probe.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    port,
    pid: child.pid,
    cost: () => costOf(child.pid),
    stop() {
      process.kill(-child.pid, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
