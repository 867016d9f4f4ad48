import { flagsLayer } from '../../config/layers.js';
import { loadConfig } from '../../config/load.js';
import { queryGateways } from '../approvals/query.js';
import { ticketDetails, ticketTable, typedCharacters, type Ticket } from '../approvals/ticket-text.js';
import { watchTickets } from '../approvals/watch.js';
import { didYouMean, failure, parseCommandLine, reportConfigProblems, usageError } from '../command-line.js';
import type { Io } from '../io.js';
import { ownerToken, runningGateway, socketGateways, type RunningGateway } from '../running-gateway.js';

export const help = `Usage: toolgate approvals [list | show ID | approve ID | deny ID] [--yes] [--reason TEXT] [--url http://127.0.0.1:8080] [--json] [--config file]
       toolgate approvals --watch

Lists calls that wait for approval at the running gateways of this home, including those over stdio, and approves or denies
them. An approval is valid for exactly that call: same caller, same arguments, once, within five minutes.

approve shows the whole call and asks at the terminal for the last four characters of the ticket. Scripts pass --yes and the key of an
approver in TOOLGATE_TOKEN; the owner's token approves at a terminal only, because every program of your user can read it.

You cannot approve your own calls. The CLI uses the owner's token, so give each assistant its own key
(toolgate token create), or set TOOLGATE_TOKEN to the key of an approver.

  --watch    wait for calls and ask about each at the terminal, until interrupted; with --json print them without asking
  --yes      approve without a terminal, with the key of an approver in TOOLGATE_TOKEN
  --reason   why a call is denied; shown to the caller
  --url      the gateway to use; by default those of this home, then the configured address
  --config   the configuration file
`;

/** Commands of this verb; the words that a suggestion may name. */
const approvalVerbs: readonly string[] = ['list', 'show', 'approve', 'deny'];
const approvalOptions = {
  url: { type: 'string' },
  yes: { type: 'boolean' },
  watch: { type: 'boolean' },
  reason: { type: 'string' },
} as const;

/** Lists, shows, watches, approves and denies tickets. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('approvals', flagsLayer(argv).rest, approvalOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [verb = 'list', id, ...more] = positionals;
  if (!approvalVerbs.includes(verb))
    return usageError('approvals', `unknown command ${JSON.stringify(verb)}${didYouMean(verb, approvalVerbs)}`, io);
  // `list` is the only command without an id, so a stray word behind it is a mistake.
  if (verb === 'list' ? id !== undefined : id === undefined || more.length > 0)
    return usageError('approvals', verb === 'list' ? 'list takes no id' : `${verb} needs one id`, io);
  if (values.watch === true && verb !== 'list') return usageError('approvals', '--watch takes no command', io);
  if (values.reason !== undefined && verb !== 'deny') return usageError('approvals', '--reason belongs to deny', io);
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  // An explicit --url wins; the configured address is tried last, since another gateway may be listening there.
  const isNamed = values.url !== undefined || io.env['TOOLGATE_URL'] !== undefined;
  const gateways = (): readonly RunningGateway[] => {
    const local = isNamed ? [] : socketGateways(loaded.config, io);
    return local.length > 0 ? local : [runningGateway(loaded.config, io, values.url)];
  };
  if (values.watch === true) return watchTickets(gateways, io);
  if (verb === 'approve' && id !== undefined) {
    const refusal = await approvalRefusal(id, values.yes === true, ownerToken(loaded.config, io), gateways(), io);
    if (refusal !== undefined) return failure('approvals', refusal, io);
  }
  const isDecision = verb === 'approve' || verb === 'deny';
  const path = id === undefined ? '/approvals' : `/approvals/${encodeURIComponent(id)}`;
  const answer = await queryGateways(gateways(), {
    method: isDecision ? 'POST' : 'GET',
    path: isDecision ? `${path}/${verb}` : id === undefined ? path : `${path}?whole=true`,
    isOne: id !== undefined,
    ...(values.reason !== undefined && { body: { reason: values.reason } }),
  });
  if ('problem' in answer) return failure('approvals', answer.problem, io);
  // On stderr: stdout holds only the tickets.
  if (answer.from !== undefined && values.json !== true) io.err(`answered by ${answer.from}\n`);
  const { body } = answer;
  if (values.json === true) io.out(`${JSON.stringify(body, null, 2)}\n`);
  else
    io.out(
      verb === 'list'
        ? ticketTable(Array.isArray(body['approvals']) ? (body['approvals'] as readonly Ticket[]) : [], io)
        : ticketDetails(body),
    );
  return 0;
}

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
    // The owner's token in the variable is still the owner's token.
    return key === undefined || key === owner
      ? "--yes needs the key of an approver in TOOLGATE_TOKEN; the owner's token approves at a terminal only"
      : undefined;
  }
  if (io.ask === undefined) return 'approve needs a terminal, or --yes with the key of an approver in TOOLGATE_TOKEN';
  const answer = await queryGateways(gateways, {
    method: 'GET',
    path: `/approvals/${encodeURIComponent(id)}?whole=true`,
    isOne: true,
  });
  // Errors are reported by the request that decides.
  if ('problem' in answer) return undefined;
  io.err(ticketDetails(answer.body));
  const typed = await io.ask(`Type the last ${typedCharacters} characters of the ticket to approve: `);
  return typed.trim() === id.slice(-typedCharacters) ? undefined : 'not approved';
}
