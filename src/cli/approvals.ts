import { parseArgs } from 'node:util';
import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { clean } from '../lib/hostile-text/clean.js';
import type { Io } from './io.js';
import { runningGateway } from './running-gateway.js';

export const help = `Usage: toolgate approvals [list | show ID | approve ID | deny ID] [--url http://127.0.0.1:8080] [--json] [--config file]

Shows calls that wait for an operator's word at the running gateway, and answers them. An approval lets exactly that call be
made: by the same caller, with the same arguments, once, within five minutes.

Who asks cannot be who approves. The CLI uses the gateway's own token, so give each assistant a key of its own
(toolgate token create), or set TOOLGATE_TOKEN to the key of an approver.
`;

type Ticket = Readonly<Record<string, unknown>>;

/** Lists, shows and answers tickets. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await load({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
    return 1;
  }
  const { values, positionals } = parseArgs({ args: [...loaded.rest], allowPositionals: true, options: { url: { type: 'string' }, json: { type: 'boolean' } } });
  const [verb = 'list', id, ...more] = positionals;
  if (more.length > 0 || !['list', 'show', 'approve', 'deny'].includes(verb) || (verb === 'list') !== (id === undefined)) {
    io.err(help);
    return 2;
  }
  const gateway = runningGateway(loaded.config, io, values.url);
  const path = id === undefined ? '/approvals' : `/approvals/${encodeURIComponent(id)}`;
  let told;
  try {
    told = await gateway.ask(verb === 'approve' || verb === 'deny' ? 'POST' : 'GET', verb === 'approve' || verb === 'deny' ? `${path}/${verb}` : path);
  } catch (error) {
    io.err(`toolgate approvals: the gateway at ${gateway.url} cannot be asked (${reason(error)}); --url names another\n`);
    return 1;
  }
  const body: Ticket = typeof told.body === 'object' && told.body !== null ? (told.body as Ticket) : {};
  if (told.status !== 200) {
    io.err(`toolgate approvals: ${printable(body['error'] ?? `the gateway answered ${told.status}`)}\n`);
    return 1;
  }
  if (values.json === true) io.out(`${JSON.stringify(body, null, 2)}\n`);
  else io.out(verb === 'list' ? table(Array.isArray(body['approvals']) ? (body['approvals'] as readonly Ticket[]) : []) : whole(body));
  return 0;
}

const reason = (error: unknown): string => (error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error));

/** Arguments are the caller's words: nothing in them may move the cursor of who decides. */
const printable = (value: unknown): string => clean(typeof value === 'string' ? value : JSON.stringify(value) ?? '').text.replaceAll('\n', ' ');

const table = (tickets: readonly Ticket[]): string =>
  tickets.length === 0 ? 'Nothing waits.\n' : tickets.map((ticket) => `${printable(ticket['id'])}  ${printable(ticket['status']).padEnd(8)}  ${printable(ticket['principal'])}  ${printable(ticket['tool'])}  ${printable(ticket['arguments']).slice(0, 60)}\n`).join('');

const whole = (ticket: Ticket): string =>
  ['id', 'status', 'principal', 'tool', 'source', 'arguments', 'rules', 'reason', 'risk', 'asked_at', 'expires_at', 'decided_by'].map((key) => `${key.padEnd(12)} ${printable(ticket[key] ?? '-')}\n`).join('');
