import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Config } from '../config/schema.js';
import { gatesIn } from '../running/records.js';
import { homeOf } from '../serve/home.js';
import { describeSystemError } from '../lib/system-error.js';
import { describeGate } from './gate-client.js';
import type { Io } from './io.js';

/** The response of a running gateway. */
interface GatewayResponse {
  readonly status: number;
  /** Parsed JSON; undefined if the body was not JSON. */
  readonly body: unknown;
}

/** A failure whose message is written for the user. */
export class GatewayError extends Error {}

/** A gateway that this command line can send requests to, over TCP or over its socket. */
export interface RunningGateway {
  readonly url: string;
  /** How messages name it. */
  readonly name: string;
  request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<GatewayResponse>;
}

/** Client of the gateway that runs with this configuration; authenticates as the owner, or with `TOOLGATE_TOKEN`. */
export function runningGateway(config: Config, io: Io, given: string | undefined): RunningGateway {
  const { host, port } = config.server;
  // IPv6 addresses need brackets in a URL.
  const url = (given ?? io.env['TOOLGATE_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(
    /\/$/,
    '',
  );
  return {
    url,
    name: url,
    async request(method, path, body) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${readToken(config, io)}`,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: io.signal,
        // A redirect would carry the bearer token to another host.
        redirect: 'error',
      });
      return { status: answer.status, body: parseJsonBody(await answer.text()) };
    },
  };
}

/** Clients of all gateways of this home, over their operator sockets; some sockets may be stale. */
export function socketGateways(config: Config, io: Io): readonly RunningGateway[] {
  const home = homeOf(io.env, config.state.directory);
  const sockets = [
    ...socketsIn(home.approvals).map((path) => ({
      path,
      // The name of a socket begins with the pid of its gateway.
      name: `gate ${/(\d+)-[^/]*$/.exec(path)?.[1] ?? ''} (over stdio)`,
    })),
    ...gatesIn(home.gates).map((record) => ({ path: record.rest, name: describeGate(record) })),
  ];
  return sockets.map(({ path: socketPath, name }) => ({
    url: `unix:${socketPath}`,
    name,
    request: (method, path, body) =>
      new Promise((resolve, reject) => {
        const sent = body === undefined ? undefined : JSON.stringify(body);
        const outgoing = request(
          {
            socketPath,
            method,
            path,
            headers: {
              // Over a socket there is no DNS; any other Host would be rejected by the check against DNS rebinding.
              host: 'localhost',
              authorization: `Bearer ${readToken(config, io)}`,
              accept: 'application/json',
              ...(sent !== undefined && {
                'content-type': 'application/json',
                'content-length': Buffer.byteLength(sent),
              }),
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
          .end(sent);
      }),
  }));
}

function socketsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith('.sock') && existsSync(join(folder, name)))
      // Names in the folder may be links to shorter paths, because the path of a Unix socket is limited to about 100 bytes.
      .map((name) => realpathSync(join(folder, name)))
  );
}

/** The token that authenticates requests: the variable overrides the file, so that other users can name their own key. */
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
