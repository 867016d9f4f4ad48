import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { visible } from '../lib/visible.js';
import { grantFiles } from '../serve/grant-files.js';
import { homeOf, makeHome } from '../serve/home.js';
import { authorizationEgress, clientOf } from '../serve/mcp-remote.js';
import { beginLogin } from '../sources/mcp/oauth/login.js';
import { withoutSecret } from '../sources/mcp/oauth/tokens.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate login <source> [--principal id] [--config file]

Logs in at the authorization server of a remote MCP server. Open the address that is printed in a browser on this machine;
the token is kept in the gateway's home and renewed by itself. --principal says whose login it is: local unless told, which
is also the one whose lists are shown.
`;

const patienceMs = 600_000;

/** Logs in at a remote server by the browser. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await load({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
    return 1;
  }
  const { values, positionals } = parseArgs({
    args: [...loaded.rest],
    allowPositionals: true,
    options: { principal: { type: 'string' } },
  });
  const [id] = positionals;
  const config = id === undefined ? undefined : loaded.config.sources[id];
  if (
    id === undefined ||
    config?.kind !== 'mcp' ||
    config.url === undefined ||
    config.oauth?.grant !== 'authorization_code'
  ) {
    io.err(id === undefined ? help : `toolgate: ${JSON.stringify(id)} is no remote source with oauth\n`);
    return 2;
  }
  const way = authorizationEgress(config.url, config, loaded.config);
  const door = await callback(io.signal);
  try {
    const client = clientOf(config, io.env);
    const login = await beginLogin({
      way,
      server: config.url,
      principal: values.principal ?? 'local',
      redirectUri: door.uri,
      scopes: config.oauth.scopes,
      ...(client && { client }),
      ...(config.oauth.issuer !== undefined && { issuer: config.oauth.issuer }),
    });
    if ('problem' in login) {
      io.err(`toolgate: ${login.problem}\n`);
      return 1;
    }
    // Printed, not opened: what a server names never reaches an opener or a shell.
    io.out(`Open this address in a browser:\n\n  ${visible(login.url)}\n\n`);
    const came = await door.came;
    const grant = came ? await login.finish(came) : { problem: 'nobody came back from the browser' };
    if ('problem' in grant) {
      io.err(`toolgate: ${grant.problem}\n`);
      return 1;
    }
    const home = homeOf(io.env, loaded.config.state.directory);
    makeHome(home);
    const files = grantFiles(home.grants);
    files.write(id, [
      ...files.read(id).filter((other) => other.principal !== grant.principal || other.issuer !== grant.issuer),
      // A configured secret stays where it is configured.
      client ? withoutSecret(grant) : grant,
    ]);
    io.out(`logged in at ${visible(grant.issuer)} as ${grant.principal}\n`);
    return 0;
  } finally {
    door.close();
    await way.close();
  }
}

/** A door on loopback for the one request by which the browser comes back. */
async function callback(
  signal: AbortSignal,
): Promise<{ readonly uri: string; readonly came: Promise<URLSearchParams | undefined>; close(): void }> {
  let arrive: (parameters: URLSearchParams | undefined) => void = () => {};
  const came = new Promise<URLSearchParams | undefined>((resolve) => (arrive = resolve));
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://127.0.0.1');
    if (req.method !== 'GET' || url.pathname !== '/callback') return void res.writeHead(404).end();
    res
      .writeHead(200, { 'content-type': 'text/plain', 'referrer-policy': 'no-referrer', connection: 'close' })
      .end('You may close this page and go back to the terminal.\n');
    return arrive(url.searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setTimeout(() => arrive(undefined), patienceMs);
  signal.addEventListener('abort', () => arrive(undefined), { once: true });
  return {
    // A server that listens on a port has an address with one.
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    came,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
