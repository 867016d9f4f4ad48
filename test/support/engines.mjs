import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Real PostgreSQL and Redis or Valkey on loopback, each with a folder of its own; used by tests and by `npm run fleet`. */

export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(':')
    .concat('/usr/sbin')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const postgresFolder = () => {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(base, version, 'bin')).find((path) => existsSync(join(path, 'initdb')));
};

/** The programs of the fleet that are not installed. */
export const missingEngines = () => [
  ...(postgresFolder() === undefined ? ['postgresql (15 or later)'] : []),
  ...((onPath('valkey-server') ?? onPath('redis-server')) ? [] : ['redis-server or valkey-server']),
];

/** PostgreSQL refuses to run as root. */
const idOf = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim());
const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

const exited = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));

/** Calls until it succeeds; a program that needs longer than this does not come up. */
export async function until(work, ms = 20_000) {
  const end = Date.now() + ms;
  for (;;) {
    try {
      const value = await work();
      if (value !== false) return value;
    } catch (error) {
      if (error.final || Date.now() > end) throw error;
    }
    if (Date.now() > end) throw new Error('it did not come up in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A program that can be stopped and started again with the same data. */
function running(start, ready) {
  let child;
  const engine = {
    get pid() {
      return child.pid;
    },
    async start() {
      child = start();
      let output = '';
      child.stderr?.on('data', (text) => (output = (output + text).slice(-2_000)));
      child.stdout?.on('data', (text) => (output = (output + text).slice(-2_000)));
      await until(() => {
        if (child.exitCode !== null) throw Object.assign(new Error(`it ended: ${output}`), { final: true });
        return ready();
      });
      return engine;
    },
    signal: (name) => child.kill(name),
    async stop(signal = 'SIGKILL') {
      child.kill('SIGCONT');
      child.kill(signal);
      await exited(child);
    },
  };
  return engine;
}

export async function startPostgres() {
  const bin = postgresFolder();
  // The account of PostgreSQL cannot enter a private temporary folder of root.
  const folder = mkdtempSync(join(account.uid === undefined ? tmpdir() : '/tmp', 'toolgate-pg-'));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid);
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'gate', '--auth=trust', '--no-sync', '-E', 'UTF8', '--no-locale'],
    { ...account, encoding: 'utf8', cwd: folder },
  );
  if (made.status !== 0) throw new Error(made.stderr);
  const port = await freePort();
  const options = ['-D', join(folder, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F'];
  const engine = running(
    () => spawn(join(bin, 'postgres'), options, { ...account, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }),
    () =>
      spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-q'], { cwd: folder }).status === 0,
  );
  await engine.start();
  const { signal } = engine;
  return Object.assign(engine, {
    bin,
    port,
    // Every connection is a process of its own, which a signal to the first one does not reach.
    signal(name) {
      const { pid } = engine;
      signal(name);
      for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean))
        process.kill(Number(child), name);
    },
    url: `postgres://gate@127.0.0.1:${port}/postgres`,
    async end() {
      engine.signal('SIGCONT');
      await engine.stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

export async function startValkey() {
  const program = onPath('valkey-server') ?? onPath('redis-server');
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-kv-'));
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const engine = running(
    () => spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'] }),
    () => fetch(`http://127.0.0.1:${port}`).catch((error) => error.cause?.code !== 'ECONNREFUSED'),
  );
  await engine.start();
  return Object.assign(engine, {
    port,
    url: `redis://127.0.0.1:${port}`,
    async end() {
      await engine.stop('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

/**
 * nginx as a plain round robin balancer, with event streams unbuffered, much as in deploy/nginx/toolgate.conf. Every request tries
 * every replica: with passive failure marks, one slow 503 during a rolling restart leaves no live replica, and nginx answers 502.
 */
export async function startNginx(ports) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-lb-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
     ${process.getuid?.() === 0 ? 'user root;' : ''}
     events { worker_connections 1024; }
     http { access_log off; client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c;
       uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
       upstream gates { ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(' ')} keepalive 32; }
       server { listen 127.0.0.1:${port}; large_client_header_buffers 4 16k;
         location / { proxy_pass http://gates; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1;
           proxy_buffering off; proxy_read_timeout 300s;
           proxy_next_upstream error timeout http_503 non_idempotent; proxy_connect_timeout 1s; } } }`,
  );
  const engine = running(
    () =>
      spawn(onPath('nginx'), ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: ['ignore', 'pipe', 'pipe'] }),
    () => fetch(`http://127.0.0.1:${port}/healthz`).then(() => true),
  );
  await engine.start();
  return Object.assign(engine, {
    port,
    url: `http://127.0.0.1:${port}`,
    async end() {
      await engine.stop('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
