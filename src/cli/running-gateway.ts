import { readFileSync } from 'node:fs';
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
  const url = (given ?? io.env['TOOLGATE_URL'] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(/\/$/, '');
  const token = (): string => io.env['TOOLGATE_TOKEN'] ?? readFileSync(config.auth.token_file ?? homeOf(io.env, config.state.directory).token, 'utf8').trim();
  return {
    url,
    async ask(method, path) {
      const answer = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${token()}`, accept: 'application/json' }, signal: io.signal, redirect: 'error' });
      const text = await answer.text();
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        body = undefined;
      }
      return { status: answer.status, body };
    },
  };
}
