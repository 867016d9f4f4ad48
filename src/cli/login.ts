import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../config/load.js';
import { escapeInvisible } from '../lib/escape-invisible.js';
import { homeOf, makeHome } from '../serve/home.js';
import { sourceKinds } from '../sources/index.js';
import { kindOf, type SourceLogin } from '../sources/kind.js';
import { sourceSettings } from '../sources/settings.js';
import { parseCommandLine, reportConfigProblems, usageError } from './command-line.js';
import { recordCliAction } from './admin-audit.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate login <source> [--principal id] [--config file]

Logs in to a remote MCP server with OAuth. Open the printed URL in a browser on this machine; the gateway stores the token in
its home and refreshes it.

  --principal   the caller this login belongs to (default local, which is also used to list tools)
  --config      the configuration file
`;

const loginTimeoutMs = 600_000;

/** Logs in to a remote server with the OAuth authorization code flow. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const parsed = parseCommandLine('login', loaded.rest, { principal: { type: 'string' } }, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [id] = positionals;
  const entry = id === undefined || !Object.hasOwn(loaded.config.sources, id) ? undefined : loaded.config.sources[id];
  const principal = values.principal ?? 'local';
  const callback = await startCallbackServer(io.signal);
  let login: SourceLogin | undefined;
  try {
    const home = homeOf(io.env, loaded.config.state.directory);
    const begun =
      id === undefined || entry === undefined
        ? undefined
        : await kindOf(entry, sourceKinds).login?.(
            entry,
            { id, principal, redirectUri: callback.uri },
            { env: io.env, grants: home.grants, settings: sourceSettings(loaded.config) },
          );
    if (begun === undefined)
      return usageError(
        'login',
        id === undefined
          ? 'no source given'
          : `source ${JSON.stringify(id)} is not a remote MCP source with oauth.grant authorization_code`,
        io,
      );
    if ('problem' in begun) {
      io.err(`toolgate: ${begun.problem}\n`);
      return 1;
    }
    login = begun;
    // Printed, not opened: a URL chosen by the server must never reach a shell or a URL opener (command injection).
    io.out(`Open this URL in a browser:\n\n  ${escapeInvisible(login.url)}\n\n`);
    const parameters = await callback.parameters;
    makeHome(home);
    if (parameters && !(await recordCliAction({ home, config: loaded.config, io }, 'login', `${id}:${principal}`)))
      return 1;
    const finished = parameters
      ? await login.finish(parameters)
      : { problem: 'the login was not completed in the browser within 10 minutes' };
    if ('problem' in finished) {
      io.err(`toolgate: ${finished.problem}\n`);
      return 1;
    }
    io.out(`logged in at ${escapeInvisible(finished.issuer)} as ${principal}\n`);
    return 0;
  } finally {
    callback.close();
    await login?.close();
  }
}

/** Loopback server for the OAuth redirect (RFC 8252). */
async function startCallbackServer(
  signal: AbortSignal,
): Promise<{ readonly uri: string; readonly parameters: Promise<URLSearchParams | undefined>; close(): void }> {
  let resolveParameters: (received: URLSearchParams | undefined) => void = () => {};
  const parameters = new Promise<URLSearchParams | undefined>((resolve) => (resolveParameters = resolve));
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://127.0.0.1');
    if (req.method !== 'GET' || url.pathname !== '/callback') return void res.writeHead(404).end();
    res
      .writeHead(200, { 'content-type': 'text/plain', 'referrer-policy': 'no-referrer', connection: 'close' })
      .end('You can close this page and return to the terminal.\n');
    return resolveParameters(url.searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setTimeout(() => resolveParameters(undefined), loginTimeoutMs);
  signal.addEventListener('abort', () => resolveParameters(undefined), { once: true });
  return {
    // `address()` of a server that listens on a TCP port is an AddressInfo.
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    parameters,
    close() {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
