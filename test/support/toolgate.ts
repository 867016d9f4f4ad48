import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, whenDone } from './temporary.js';

/** The built program, as users start it. */
export const cli = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli.js');

/** The built library, typed by its source: types are checked before there is a build. */
export const builtLibrary = (): Promise<typeof import('../../src/index.js')> =>
  import(new URL('../../dist/index.js', import.meta.url).href);

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder of this test alone; it is gone when the test ends. */
export function aPlace(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder('e2e');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs a verb to its end in a folder, with a home of its own below it. */
export function toolgate(
  cwd: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** What it reads from stdin, which ends after it; open and silent by default. */
  input?: string,
): Promise<Ended> {
  const child = start(cwd, argv, env);
  if (input !== undefined) child.stdin?.end(input);
  return new Promise((resolve) => {
    let out = '';
    let err = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

export interface Running {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  readonly banner: string;
  /** What it wrote to stderr so far. */
  log(): string;
  /** Resolves once the log holds this text. */
  logged(text: string): Promise<void>;
  send(
    path: string,
    init?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<{ status: number; headers: Headers; text: string; json: ReturnType<typeof JSON.parse> }>;
  /** Asks it to stop and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the gateway over HTTP on a free port and waits until it listens. */
export async function serving(
  cwd: string,
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  program = process.execPath,
): Promise<Running> {
  const child = start(cwd, ['serve', '--http', '--port', '0', ...argv], env, program);
  let out = '';
  let err = '';
  const waiting = new Set<() => void>();
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
    for (const look of waiting) look();
  });
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  whenDone(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      if (out.includes('Try it:') && out.endsWith('\n\n')) resolve();
    });
    child.on('close', (code) => reject(new Error(`toolgate ended with ${code}: ${err}`)));
  });
  const url = /listens on (\S+)/.exec(out)?.[1] ?? '';
  const token = readFileSync(/token +(\S+)/.exec(out)?.[1] ?? '', 'utf8').trim();
  return {
    url,
    token,
    child,
    banner: out,
    log: () => err,
    logged: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!err.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async send(path, { method, body, headers = {} } = {}) {
      const res = await fetch(`${url}${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await res.text();
      let json: unknown;
      try {
        json = JSON.parse(text);
      } catch {
        json = undefined;
      }
      return { status: res.status, headers: res.headers, text, json };
    },
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

function start(
  cwd: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  program = process.execPath,
): ChildProcess {
  return spawn(program, [cli, ...argv], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLGATE_HOME: join(cwd, 'home'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
