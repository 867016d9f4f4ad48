import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../config/load.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { homeOf, makeHome } from '../../serve/home.js';
import { sourceKinds } from '../../sources/index.js';
import { kindOf, type SourceLogin } from '../../sources/kind.js';
import { sourceSettings } from '../../sources/settings.js';
import {
  didYouMean,
  failure,
  parseCommandLine,
  reportConfigProblems,
  unexpectedArgument,
  usageError,
} from '../command-line.js';
import { auditedAction } from '../admin-audit.js';
import { openStores } from '../../cluster/stores.js';
import type { Io } from '../io.js';

export const help = `Usage: toolgate login <source> [--principal id] [--json] [--config file]

Logs in to a remote MCP server with OAuth. Open the printed URL in a browser on this machine; the gateway stores the token in
its home and refreshes it.

  --principal   the caller this login belongs to (default local, which is also used to list tools)
  --config      the configuration file
`;

/** How long a person may take in the browser. */
const loginTimeoutMs = 600_000;

/** Logs in to a remote server with the OAuth authorization code flow. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const parsed = parseCommandLine('login', loaded.rest, { principal: { type: 'string' } }, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [id, ...more] = positionals;
  const extra = unexpectedArgument('login', more, io);
  if (extra !== undefined) return extra;
  // Object.hasOwn: a source called "constructor" does not exist.
  const entry = id === undefined || !Object.hasOwn(loaded.config.sources, id) ? undefined : loaded.config.sources[id];
  const principal = values.principal ?? 'local';
  // Opened before the flow begins, because its port is part of the redirect URI.
  const callback = await startCallbackServer(io.signal);
  let login: SourceLogin | undefined;
  let stores: Awaited<ReturnType<typeof openStores>> | undefined;
  try {
    const home = homeOf(io.env, loaded.config.state.directory);
    stores = await openStores(loaded.config, io.env, home);
    const begun =
      id === undefined || entry === undefined
        ? undefined
        : await kindOf(entry, sourceKinds).login?.(
            entry,
            { id, principal, redirectUri: callback.uri },
            {
              env: io.env,
              grants: home.grants,
              ...(stores.grants && { grantStore: stores.grants }),
              settings: sourceSettings(loaded.config),
            },
          );
    if (begun === undefined)
      return usageError(
        'login',
        id === undefined
          ? 'no source given'
          : entry === undefined
            ? `unknown source ${JSON.stringify(id)}${didYouMean(id, Object.keys(loaded.config.sources))}`
            : `source ${JSON.stringify(id)} is not a remote MCP source with oauth.grant authorization_code`,
        io,
      );
    if ('problem' in begun) {
      return failure('login', begun.problem, io);
    }
    login = begun;
    // Printed, not opened: a URL chosen by the server must never reach a shell or a URL opener (command injection).
    const asJson = values.json === true;
    io.out(
      asJson
        ? `${JSON.stringify({ url: login.url })}\n`
        : `Open this URL in a browser:\n\n  ${escapeInvisible(login.url)}\n\n`,
    );
    const parameters = await callback.parameters;
    if (parameters === undefined)
      return failure('login', 'the login was not completed in the browser within 10 minutes', io);
    makeHome(home);
    let issuer = '';
    const action = { home, config: loaded.config, io, action: 'login', target: `${id}:${principal}` };
    // A login that cannot be audited must not give a token.
    const code = await auditedAction(action, async () => {
      const finished = await begun.finish(parameters);
      if ('problem' in finished) return finished.problem;
      ({ issuer } = finished);
      return undefined;
    });
    if (code !== 0) return code;
    io.out(
      asJson
        ? `${JSON.stringify({ issuer, principal })}\n`
        : `logged in at ${escapeInvisible(issuer)} as ${principal}\n`,
    );
    return 0;
  } finally {
    // The listener and the stores would keep the process alive.
    callback.close();
    await login?.close();
    await stores?.close();
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
    // Browsers also request /favicon.ico; only the redirect itself completes the login.
    if (req.method !== 'GET' || url.pathname !== '/callback') return void res.writeHead(404).end();
    res
      .writeHead(200, { 'content-type': 'text/plain', 'referrer-policy': 'no-referrer', connection: 'close' })
      .end('You can close this page and return to the terminal.\n');
    return resolveParameters(url.searchParams);
  });
  // Port 0: the system chooses a free one, and RFC 8252 lets authorization servers accept any port on loopback.
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
      // Keep-alive connections of the browser would hold the process for minutes.
      server.closeAllConnections();
    },
  };
}
