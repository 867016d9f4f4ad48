import { loadConfig } from '../../config/load.js';
import { describeSystemError } from '../../lib/system-error.js';
import { openBrowser } from '../open-browser.js';
import { failure, parseCommandLine, reportConfigProblems, usageError } from '../command-line.js';
import type { GateRecord } from '../../running/records.js';
import { findOrStartGate } from '../attach/attach.js';
import { requestGate } from '../attach/gate-request.js';
import { runningGates } from '../gate-client.js';
import type { Io } from '../io.js';
import { GatewayError, runningGateway } from '../running-gateway.js';

export const help = `Usage: toolgate console [--url http://127.0.0.1:8080] [--print] [--config file]

Opens the console in your browser: approvals, calls, tools, sources, policy, audit, metrics.

Without --url it is the console of the gate that runs with this configuration, also of one that assistants share over stdio; if none
runs, one is started in the background.

You are logged in by a one-time code in the address, which is valid for one minute and works once. The session belongs to that
browser tab and lasts eight hours, or one hour without use; toolgate token sessions lists and ends sessions.

You log in as the owner, or with the key in TOOLGATE_TOKEN. You cannot approve your own calls.

  --url      the gateway to use; by default the gate of this configuration
  --print    print the address instead of opening a browser
  --config   the configuration file
`;

/** Options of this verb. */
const consoleOptions = { url: { type: 'string' }, print: { type: 'boolean' } } as const;

/** Opens the console in a browser, logged in. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const parsed = parseCommandLine('console', loaded.rest, consoleOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  if (positionals.length > 0) return usageError('console', `unexpected argument ${JSON.stringify(positionals[0])}`, io);
  const given = values.url ?? io.env['TOOLGATE_URL'];
  let gateway = runningGateway(loaded.config, io, given ?? (await runningConsole(argv, io)));
  let opened = await requestCode(gateway);
  // No gateway runs: one is started as an assistant would start it.
  if ('unreachable' in opened && given === undefined && process.platform !== 'win32') {
    try {
      gateway = runningGateway(
        loaded.config,
        io,
        await startedConsole(loaded.rest.length > 0 ? argvWithout(argv) : argv, io),
      );
      opened = await requestCode(gateway);
    } catch (error) {
      opened = { problem: error instanceof Error ? error.message : String(error) };
    }
  }
  if ('problem' in opened) {
    return failure('console', opened.problem, io);
  }
  // The code is in the fragment, which a browser sends to no server.
  const address = `${gateway.url}/console#${opened.code}`;
  if (values.print === true || values.json === true) {
    io.out(values.json === true ? `${JSON.stringify({ address })}\n` : `${address}\n`);
    return 0;
  }
  if (await openBrowser(address, io.env)) io.out(`Opened ${gateway.url}/console in your browser.\n`);
  else io.out(`Open this address within a minute:\n${address}\n`);
  return 0;
}

/** Address of the gate that runs with this configuration; one in the background opens its listener for it. */
async function runningConsole(argv: readonly string[], io: Io): Promise<string | undefined> {
  const [gate] = await runningGates(argv, io);
  return gate && (gate.record.url ?? (await openListener(gate.record)));
}

/** Starts the gate of this configuration in the background, as an assistant would. */
async function startedConsole(argv: readonly string[], io: Io): Promise<string | undefined> {
  const { socket, record } = await findOrStartGate(argv, io, (text) => io.err(`${text}\n`));
  try {
    return record.url ?? (await openListener(record));
  } finally {
    // The connection only kept the gate from ending while its listener opened.
    socket.destroy();
  }
}

/** Opens the HTTP listener of a background gate. */
async function openListener(record: GateRecord): Promise<string | undefined> {
  const { status, text } = await requestGate(record, 'POST', '/gate/listener', { timeoutMs: 10_000 });
  if (status !== 200) return undefined;
  const { url } = JSON.parse(text) as { readonly url?: unknown }; // written by a gate of this user
  return typeof url === 'string' ? url : undefined;
}

/** The options of the gate, without those of this verb. */
const argvWithout = (argv: readonly string[]): readonly string[] => argv.filter((word) => word !== '--print');

/** Requests a one-time code; the owner's token never reaches the browser. */
async function requestCode(
  gateway: ReturnType<typeof runningGateway>,
): Promise<{ readonly code: string } | { readonly problem: string; readonly unreachable?: true }> {
  try {
    const { status, body } = await gateway.request('POST', '/console/code');
    const { code, error } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    if (status === 200 && typeof code === 'string') return { code };
    return { problem: typeof error === 'string' ? error : `${gateway.url} returned HTTP status ${status}` };
  } catch (error) {
    const why =
      error instanceof GatewayError
        ? error.message
        : describeSystemError(error instanceof Error ? (error.cause ?? error) : error, 'the request failed');
    return {
      unreachable: true,
      problem: `no gateway can be reached at ${gateway.url} (${why}); start one with toolgate serve --http`,
    };
  }
}
