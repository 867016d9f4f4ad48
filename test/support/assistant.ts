import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cli } from './toolgate.js';

/** A JSON-RPC message, as tests look at it. */
export type Rpc = ReturnType<typeof JSON.parse>;

/** An assistant that starts `toolgate serve --stdio`, as a desktop program does. */
export interface Assistant {
  readonly pid: number;
  /** Sends a request and resolves with its response. */
  ask(method: string, params?: unknown): Promise<Rpc>;
  notify(method: string, params?: unknown): void;
  /** What it wrote to stderr so far. */
  err(): string;
  readonly notifications: readonly Rpc[];
  /** Closes its input and resolves with the exit code. */
  leave(): Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts an assistant; it has initialized the session when this resolves. */
export async function anAssistant(
  cwd: string,
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Assistant> {
  const child = spawn(process.execPath, [cli, 'serve', '--stdio', ...argv], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLGATE_HOME: join(cwd, 'home'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting = new Map<number, (message: Rpc) => void>();
  const notifications: Rpc[] = [];
  let err = '';
  let out = '';
  let next = 0;
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    for (let end = out.indexOf('\n'); end >= 0; end = out.indexOf('\n')) {
      const message: Rpc = JSON.parse(out.slice(0, end));
      out = out.slice(end + 1);
      if (message.method === undefined) waiting.get(message.id)?.(message);
      else notifications.push(message);
    }
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const write = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const ask = (method: string, params: unknown = {}): Promise<Rpc> =>
    new Promise((resolve, reject) => {
      const id = (next += 1);
      waiting.set(id, resolve);
      void exited.then((code) => reject(new Error(`the assistant's server ended with ${code}: ${err}`)));
      write({ jsonrpc: '2.0', id, method, params });
    });
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'assistant', version: '1' },
  });
  write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    pid: child.pid ?? 0,
    ask,
    notify: (method, params) => write({ jsonrpc: '2.0', method, params }),
    err: () => err,
    notifications,
    leave() {
      child.stdin.end();
      return exited;
    },
    kill: (signal) => void child.kill(signal),
  };
}

/** Records of the gates that run in the home of a place; ends them with the test. */
export function gatesOf(cwd: string): readonly Rpc[] {
  const folder = join(cwd, 'home', 'gates');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        return [{ ...JSON.parse(readFileSync(join(folder, name), 'utf8')), path: join(folder, name) }];
      } catch {
        return []; // removed meanwhile
      }
    });
}

/** Kills what is left of the gates of a place when the test ends. */
export function endGates(cwd: string): void {
  onTestFinished(() => {
    for (const { pid } of gatesOf(cwd)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
  });
}
