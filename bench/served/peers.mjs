import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { place } from '../mcp/process.mjs';
import { havePeers as haveGateways, startPeer } from '../upstream/peers.mjs';

const python = place('peers/node_modules/.venv/bin/python');
const fastmcp = 'fastmcp==4.1.2';

/** Installs the npm peers; false, with one line, where that is not possible. */
export function havePeers() {
  const there = () =>
    haveGateways() &&
    existsSync(place('peers/node_modules/mcp-lite')) &&
    existsSync(place('peers/node_modules/@modelcontextprotocol/client'));
  if (!there())
    spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: place('peers'),
      stdio: 'ignore',
    });
  return there();
}

function haveFastmcp() {
  if (spawnSync(python, ['-c', 'import fastmcp']).status === 0) return true;
  spawnSync('python3', ['-m', 'venv', place('peers/node_modules/.venv')]);
  return spawnSync(python, ['-m', 'pip', 'install', '-q', fastmcp], { stdio: 'ignore' }).status === 0;
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** FastMCP's proxy; a Python program, so it is asked until it answers. */
export async function startFastmcp(target) {
  if (!haveFastmcp()) throw new Error(`${fastmcp} could not be installed`);
  const port = await freePort();
  const child = spawn(python, [place('peers/fastmcp_proxy.py'), String(port), ...target], {
    stdio: 'ignore',
    detached: true,
  });
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== null) return;
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  };
  for (let tries = 0; tries < 300 && child.exitCode === null; tries += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/mcp`, { signal: AbortSignal.timeout(1_000) });
      return { port, pid: child.pid, stop };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await stop();
  throw new Error('the FastMCP proxy did not start');
}

/** A gateway of the older list, in front of the spawned server. */
export async function startGateway(name) {
  const peer = await startPeer(name);
  return { port: peer.port, pid: peer.pid, stop: async () => peer.stop() };
}
