import { loadConfig } from '../config/load.js';
import { clean } from '../hostile-text/clean.js';
import { describeSystemError } from '../lib/system-error.js';
import { didYouMean, parseCommandLine, reportConfigProblems, usageError } from './command-line.js';
import type { Io } from './io.js';
import type { RunningGateway, GatewayResponse } from './running-gateway.js';
import { GatewayError, ownerToken, socketGateways, runningGateway } from './running-gateway.js';

export const help = `Usage: toolgate approvals [list | show ID | approve ID | deny ID] [--yes] [--url http://127.0.0.1:8080] [--json] [--config file]

Lists calls that wait for approval at the running gateways of this home, including those over stdio, and approves or denies
them. An approval is valid for exactly that call: same caller, same arguments, once, within five minutes.

approve shows the whole call and asks at the terminal for the last four characters of the ticket. Scripts pass --yes and the key of an
approver in TOOLGATE_TOKEN; the owner's token approves at a terminal only, because every program of your user can read it.

You cannot approve your own calls. The CLI uses the owner's token, so give each assistant its own key
(toolgate token create), or set TOOLGATE_TOKEN to the key of an approver.

  --yes      approve without a terminal, with the key of an approver in TOOLGATE_TOKEN
  --url      the gateway to use; by default those of this home, then the configured address
  --json     JSON output
  --config   the configuration file

Exit codes: 0 done, 1 no gateway reached or the request was rejected, 2 wrong use.
`;

type Ticket = Readonly<Record<string, unknown>>;

const approvalVerbs: readonly string[] = ['list', 'show', 'approve', 'deny'];
const approvalOptions = { url: { type: 'string' }, json: { type: 'boolean' }, yes: { type: 'boolean' } } as const;

/** Lists, shows, approves and denies tickets. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const parsed = parseCommandLine('approvals', loaded.rest, approvalOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [verb = 'list', id, ...more] = positionals;
  if (!approvalVerbs.includes(verb))
    return usageError('approvals', `unknown command ${JSON.stringify(verb)}${didYouMean(verb, approvalVerbs)}`, io);
  if (verb === 'list' ? id !== undefined : id === undefined || more.length > 0)
    return usageError('approvals', verb === 'list' ? 'list takes no id' : `${verb} needs one id`, io);
  // An explicit --url wins; the configured address is tried last, since another gateway may be listening there.
  const isNamed = values.url !== undefined || io.env['TOOLGATE_URL'] !== undefined;
  const local = isNamed ? [] : socketGateways(loaded.config, io);
  const gateways = local.length > 0 ? local : [runningGateway(loaded.config, io, values.url)];
  const path = id === undefined ? '/approvals' : `/approvals/${encodeURIComponent(id)}`;
  const isDecision = verb === 'approve' || verb === 'deny';
  if (verb === 'approve' && id !== undefined) {
    const refusal = await approvalRefusal(id, values.yes === true, ownerToken(loaded.config, io), gateways, io);
    if (refusal !== undefined) {
      io.err(`toolgate approvals: ${refusal}\n`);
      return 1;
    }
  }
  const { response, problems } = await queryGateways(
    gateways,
    isDecision ? 'POST' : 'GET',
    isDecision ? `${path}/${verb}` : id === undefined ? path : `${path}?whole=true`,
    id !== undefined,
  );
  if (response === undefined) {
    io.err(`toolgate approvals: no gateway can be reached (${problems.join('; ')}); set another one with --url\n`);
    return 1;
  }
  const body: Ticket = typeof response.body === 'object' && response.body !== null ? (response.body as Ticket) : {};
  if (response.status !== 200) {
    io.err(
      `toolgate approvals: ${toPrintable(body['error'] ?? `the gateway returned HTTP status ${response.status}`)}\n`,
    );
    return 1;
  }
  if (values.json === true) io.out(`${JSON.stringify(body, null, 2)}\n`);
  else
    io.out(
      verb === 'list'
        ? ticketTable(Array.isArray(body['approvals']) ? (body['approvals'] as readonly Ticket[]) : [])
        : ticketDetails(body),
    );
  return 0;
}

const typedCharacters = 4;

/**
 * Why this process may not approve; undefined if it may. An assistant with a shell runs as the same user and can read the owner's
 * token, so that token alone does not approve: a person types a part of the ticket, or an approver's key is given. This is no
 * boundary against a program that controls a terminal; a sandbox and separate users are.
 */
async function approvalRefusal(
  id: string,
  yes: boolean,
  owner: string | undefined,
  gateways: readonly RunningGateway[],
  io: Io,
): Promise<string | undefined> {
  if (yes) {
    const key = io.env['TOOLGATE_TOKEN'];
    return key === undefined || key === owner
      ? "--yes needs the key of an approver in TOOLGATE_TOKEN; the owner's token approves at a terminal only"
      : undefined;
  }
  if (io.ask === undefined) return 'approve needs a terminal, or --yes with the key of an approver in TOOLGATE_TOKEN';
  const { response } = await queryGateways(gateways, 'GET', `/approvals/${encodeURIComponent(id)}?whole=true`, true);
  // Errors are reported by the request that decides.
  if (response?.status !== 200 || typeof response.body !== 'object' || response.body === null) return undefined;
  io.err(ticketDetails(response.body as Ticket));
  const typed = await io.ask(`Type the last ${typedCharacters} characters of the ticket to approve: `);
  return typed.trim() === id.slice(-typedCharacters) ? undefined : 'not approved';
}

/** Queries every gateway: lists are merged, and a single ticket comes from the gateway that has it. */
async function queryGateways(
  gateways: readonly RunningGateway[],
  method: 'GET' | 'POST',
  path: string,
  isOne: boolean,
): Promise<{ readonly response: GatewayResponse | undefined; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let response: GatewayResponse | undefined;
  const tickets: unknown[] = [];
  for (const gateway of gateways) {
    try {
      const answer = await gateway.request(method, path);
      if (isOne && answer.status !== 404) return { response: answer, problems };
      if (!isOne && answer.status === 200) tickets.push(...ticketsOf(answer.body));
      if (response === undefined || response.status !== 200) response = answer;
    } catch (error) {
      problems.push(`${gateway.url}: ${describeRequestError(error)}`);
    }
  }
  return {
    response: response?.status === 200 && !isOne ? { status: 200, body: { approvals: tickets } } : response,
    problems,
  };
}

const ticketsOf = (body: unknown): readonly unknown[] =>
  typeof body === 'object' && body !== null && 'approvals' in body && Array.isArray(body.approvals)
    ? body.approvals
    : [];

const describeRequestError = (error: unknown): string =>
  error instanceof GatewayError
    ? error.message
    : describeSystemError(error instanceof Error ? (error.cause ?? error) : error, 'the request failed');

/** Arguments are the caller's text: escape sequences in them must not rewrite the terminal of the operator (terminal injection). */
const toPrintable = (value: unknown): string =>
  clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).text.replaceAll('\n', ' ');

const ticketTable = (tickets: readonly Ticket[]): string =>
  tickets.length === 0
    ? 'No calls are waiting for approval.\n'
    : tickets
        .map(
          (ticket) =>
            `${toPrintable(ticket['id'])}  ${toPrintable(ticket['status']).padEnd(8)}  ${toPrintable(ticket['principal'])}  ${toPrintable(ticket['tool'])}  ${toPrintable(ticket['arguments']).slice(0, 60)}\n`,
        )
        .join('');

const ticketDetails = (ticket: Ticket): string =>
  [
    'id',
    'status',
    'principal',
    'tool',
    'source',
    'arguments',
    'rules',
    'reason',
    'risk',
    'asked_at',
    'expires_at',
    'decided_by',
  ]
    .map(
      (key) =>
        `${key.padEnd(12)} ${toPrintable((key === 'arguments' ? ticket['arguments_whole'] : undefined) ?? ticket[key] ?? '-')}\n`,
    )
    .join('');
