import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Config } from '../config/schema.js';
import { homeOf } from '../serve/home.js';
import type { Io } from './io.js';

/** What a running gateway answered. */
export interface Told {
  readonly status: number;
  /** Any JSON; undefined where the answer was none. */
  readonly body: unknown;
}

export interface RunningGateway {
  readonly url: string;
  ask(method: 'GET' | 'POST', path: string): Promise<Told>;
}

/** Talks to the gateway that runs with this configuration, as its owner or as the holder of `TOOLGATE_TOKEN`. */
export function runningGateway(config: Config, io: Io, given: string | undefined): RunningGateway {
  const { host, port } = config.server;
  const url = (given ?? io.env['TOOLGATE_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(
    /\/$/,
    '',
  );
  return {
    url,
    async ask(method, path) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${tokenOf(config, io)}`, accept: 'application/json' },
        signal: io.signal,
        redirect: 'error',
      });
      return { status: answer.status, body: parsed(await answer.text()) };
    },
  };
}

/** The gateways of this home that can be asked about approvals without a listener; some may have ended meanwhile. */
export function besideGateways(config: Config, io: Io): readonly RunningGateway[] {
  const folder = homeOf(io.env, config.state.directory).approvals;
  return socketsIn(folder).map((socketPath) => ({
    url: `unix:${socketPath}`,
    ask: (method, path) =>
      new Promise((resolve, reject) => {
        const asking = request(
          {
            socketPath,
            method,
            path,
            headers: { host: 'localhost', authorization: `Bearer ${tokenOf(config, io)}`, accept: 'application/json' },
            signal: io.signal,
            timeout: 10_000,
          },
          (answer) => {
            let text = '';
            answer
              .setEncoding('utf8')
              .on('data', (chunk: string) => (text += chunk))
              .on('end', () => resolve({ status: answer.statusCode ?? 0, body: parsed(text) }))
              .on('error', reject);
          },
        );
        asking
          .on('error', reject)
          .on('timeout', () => asking.destroy(new Error('it does not answer')))
          .end();
      }),
  }));
}

function socketsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sock') && existsSync(join(folder, name)))
    .map((name) => realpathSync(join(folder, name)));
}

const tokenOf = (config: Config, io: Io): string =>
  io.env['TOOLGATE_TOKEN'] ??
  readFileSync(config.auth.token_file ?? homeOf(io.env, config.state.directory).token, 'utf8').trim();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
