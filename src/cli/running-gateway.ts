import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Config } from '../config/schema.js';
import { homeOf } from '../serve/home.js';
import { describeSystemError } from '../lib/system-error.js';
import type { Io } from './io.js';

/** The response of a running gateway. */
export interface GatewayResponse {
  readonly status: number;
  /** Parsed JSON; undefined if the body was not JSON. */
  readonly body: unknown;
}

/** A failure whose message is written for the user. */
export class GatewayError extends Error {}

export interface RunningGateway {
  readonly url: string;
  request(method: 'GET' | 'POST', path: string): Promise<GatewayResponse>;
}

/** Client of the gateway that runs with this configuration; authenticates as the owner, or with `TOOLGATE_TOKEN`. */
export function runningGateway(config: Config, io: Io, given: string | undefined): RunningGateway {
  const { host, port } = config.server;
  const url = (given ?? io.env['TOOLGATE_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(
    /\/$/,
    '',
  );
  return {
    url,
    async request(method, path) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${readToken(config, io)}`, accept: 'application/json' },
        signal: io.signal,
        redirect: 'error',
      });
      return { status: answer.status, body: parseJsonBody(await answer.text()) };
    },
  };
}

/** Clients of all gateways of this home, over their operator sockets; some sockets may be stale. */
export function socketGateways(config: Config, io: Io): readonly RunningGateway[] {
  const folder = homeOf(io.env, config.state.directory).approvals;
  return socketsIn(folder).map((socketPath) => ({
    url: `unix:${socketPath}`,
    request: (method, path) =>
      new Promise((resolve, reject) => {
        const outgoing = request(
          {
            socketPath,
            method,
            path,
            headers: {
              host: 'localhost',
              authorization: `Bearer ${readToken(config, io)}`,
              accept: 'application/json',
            },
            signal: io.signal,
            timeout: 10_000,
          },
          (answer) => {
            let text = '';
            answer
              .setEncoding('utf8')
              .on('data', (chunk: string) => (text += chunk))
              .on('end', () => resolve({ status: answer.statusCode ?? 0, body: parseJsonBody(text) }))
              .on('error', reject);
          },
        );
        outgoing
          .on('error', reject)
          .on('timeout', () => outgoing.destroy(new GatewayError('no response in time')))
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

function readToken(config: Config, io: Io): string {
  const fromEnvironment = io.env['TOOLGATE_TOKEN'];
  if (fromEnvironment !== undefined) return fromEnvironment;
  const file = config.auth.token_file ?? homeOf(io.env, config.state.directory).token;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new GatewayError(`cannot read the token file ${file}: ${describeSystemError(error)}`);
  }
}

/** The owner's token, if it can be read. */
export function ownerToken(config: Config, io: Io): string | undefined {
  try {
    return readFileSync(config.auth.token_file ?? homeOf(io.env, config.state.directory).token, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
