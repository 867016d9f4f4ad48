import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from '../../bench/served/start.mjs';
import { treeOf } from '../../bench/served/tree.mjs';
import { token } from '../../bench/mcp/requests.mjs';
import { resettableRelay } from './relay.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const recoveryMs = 60_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A gate started by the command line in front of a spawned and a remote server, with what the faults need to break it. */
export async function chaosGate() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-chaos-'));
  const home = join(folder, 'home');
  // A separate build: one that runs meanwhile would replace the program under a running gate.
  const program = join(root, `.dist-chaos-${process.pid}`);
  cpSync(join(root, 'dist'), program, { recursive: true });
  const cli = join(program, 'cli.js');
  const far = await start('upstream/echo-http.mjs');
  const wire = await resettableRelay(far.port);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'token'), token, { mode: 0o600 });
  const configFile = join(folder, 'toolgate.yaml');
  let generation = 0;
  const configure = () => {
    generation += 1;
    writeFileSync(
      configFile,
      JSON.stringify({
        server: { transport: 'http', port: 0, peer_rate_per_second: 100_000 },
        commands: { builtins: false },
        rate_limit: { requests: 100_000, burst: 100_000 },
        log: { level: generation % 2 === 0 ? 'warning' : 'error' },
        tool: { default_timeout: 2 },
        sources: {
          // Our own fixture: a scan of it would be one more thing that can delay or hold the source.
          near: {
            kind: 'mcp',
            command: process.execPath,
            args: [join(root, 'bench/upstream/echo-stdio.mjs')],
            admission: 'open',
          },
          far: { kind: 'mcp', url: `http://127.0.0.1:${wire.port}/mcp` },
        },
      }),
    );
  };
  configure();
  const answered = new Set();
  let child;
  let port = 0;
  let number = 0;

  const launch = async () => {
    child = spawn(process.execPath, [cli, 'serve', '--config', configFile, '--home', home], {
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: folder,
    });
    let out = '';
    const gone = once(child, 'exit').then(() =>
      Promise.reject(new Error(`the gate did not start: ${out.slice(-200)}`)),
    );
    gone.catch(() => {});
    const listening = new Promise((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        out += chunk;
        const found = /listens on \S+?:(\d+)/.exec(out)?.[1];
        if (found) resolve(Number(found));
      });
    });
    port = await Promise.race([listening, gone]);
  };
  const call = async (tool, signal = AbortSignal.timeout(15_000)) => {
    const response = await fetch(`http://127.0.0.1:${port}/tools/${tool}/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `call ${number++}` }),
      signal,
    });
    const answer = await response.json();
    if (response.ok && answer.correlation_id) answered.add(answer.correlation_id);
    return response.ok;
  };
  const kill = async (signal) => {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  await launch();

  return {
    call,
    configure,
    descendants: () => treeOf(child.pid).slice(1),
    processes: () => {
      // The upstream is left out of `treeOf`; it is found by its command line below the gate.
      const below = treeOf(child.pid);
      return readdirSync('/proc').filter((pid) => {
        try {
          const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
          const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
          return below.includes(parent) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('echo-stdio.mjs');
        } catch {
          return false;
        }
      });
    },
    killGate: async () => {
      await kill('SIGKILL');
      await launch();
    },
    restart: async () => {
      if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL');
      await launch();
    },
    stopGate: async () => {
      await kill('SIGTERM');
      await launch();
    },
    far,
    resetRemote: wire.reset,
    home,
    address: () => port,
    /** Calls during which failures are allowed; returns how many succeeded. */
    async load(count) {
      const results = await Promise.allSettled(
        Array.from({ length: count }, (_, at) => call(at % 2 === 0 ? 'near__echo' : 'far__echo')),
      );
      return results.filter(({ status, value }) => status === 'fulfilled' && value).length;
    },
    async answersAgain() {
      const end = performance.now() + recoveryMs;
      for (const tool of ['near__echo', 'far__echo'])
        for (;;) {
          if (await call(tool).catch(() => false)) break;
          if (performance.now() > end)
            throw new Error(`${tool} does not answer ${recoveryMs / 1000} s after the fault`);
          await pause(200);
        }
    },
    async settle() {
      const all = treeOf(child.pid);
      await kill('SIGTERM');
      const left = () => all.filter((pid) => readdirSync('/proc').includes(String(pid))).length;
      for (let tries = 0; left() > 0 && tries < 50; tries += 1) await pause(100);
      const survivors = left();
      let verified = true;
      let verdict = '';
      try {
        verdict = execFileSync(process.execPath, [cli, 'audit', 'verify', '--home', home], {
          stdio: 'pipe',
        }).toString();
      } catch (error) {
        verified = false;
        verdict = `${error.stdout}${error.stderr}`;
      }
      const recorded = new Set();
      for (const journal of readdirSync(join(home, 'audit')))
        for (const file of readdirSync(join(home, 'audit', journal)).filter((name) => name.endsWith('.jsonl')))
          for (const line of readFileSync(join(home, 'audit', journal, file), 'utf8').split('\n'))
            if (line.includes('"event":"end"')) recorded.add(JSON.parse(line).correlationId);
      return { missing: [...answered].filter((id) => !recorded.has(id)).length, verified, verdict, survivors };
    },
    folder,
    async dispose(keep = false) {
      if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL');
      wire.close();
      await far.stop();
      rmSync(program, { recursive: true, force: true });
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}
