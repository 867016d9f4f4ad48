import { parseArgs } from 'node:util';
import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { clean } from '../hostile-text/clean.js';
import type { Io } from './io.js';
import type { RunningGateway, Told } from './running-gateway.js';
import { besideGateways, runningGateway } from './running-gateway.js';

export const help = `Usage: toolgate approvals [list | show ID | approve ID | deny ID] [--url http://127.0.0.1:8080] [--json] [--config file]

Shows calls that wait for an operator's word at the running gateways of this home, those over stdio included, and answers them.
An approval lets exactly that call be made: by the same caller, with the same arguments, once, within five minutes.

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
  const { values, positionals } = parseArgs({
    args: [...loaded.rest],
    allowPositionals: true,
    options: { url: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [verb = 'list', id, ...more] = positionals;
  if (
    more.length > 0 ||
    !['list', 'show', 'approve', 'deny'].includes(verb) ||
    (verb === 'list') !== (id === undefined)
  ) {
    io.err(help);
    return 2;
  }
  // Who names a gateway means that one; a listener that nobody named is tried last, since it may be somebody else's.
  const isNamed = values.url !== undefined || io.env['TOOLGATE_URL'] !== undefined;
  const beside = isNamed ? [] : besideGateways(loaded.config, io);
  const gateways = beside.length > 0 ? beside : [runningGateway(loaded.config, io, values.url)];
  const path = id === undefined ? '/approvals' : `/approvals/${encodeURIComponent(id)}`;
  const isAnswer = verb === 'approve' || verb === 'deny';
  const { told, problems } = await askAll(
    gateways,
    isAnswer ? 'POST' : 'GET',
    isAnswer ? `${path}/${verb}` : path,
    id !== undefined,
  );
  if (told === undefined) {
    io.err(`toolgate approvals: no gateway can be asked (${problems.join('; ')}); --url names another\n`);
    return 1;
  }
  const body: Ticket = typeof told.body === 'object' && told.body !== null ? (told.body as Ticket) : {};
  if (told.status !== 200) {
    io.err(`toolgate approvals: ${printable(body['error'] ?? `the gateway answered ${told.status}`)}\n`);
    return 1;
  }
  if (values.json === true) io.out(`${JSON.stringify(body, null, 2)}\n`);
  else
    io.out(
      verb === 'list'
        ? table(Array.isArray(body['approvals']) ? (body['approvals'] as readonly Ticket[]) : [])
        : whole(body),
    );
  return 0;
}

/** Asks every gateway: a list is put together, and a ticket is with the one that knows it. */
async function askAll(
  gateways: readonly RunningGateway[],
  method: 'GET' | 'POST',
  path: string,
  isOne: boolean,
): Promise<{ readonly told: Told | undefined; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let told: Told | undefined;
  const tickets: unknown[] = [];
  for (const gateway of gateways) {
    try {
      const answer = await gateway.ask(method, path);
      if (isOne && answer.status !== 404) return { told: answer, problems };
      if (!isOne && answer.status === 200) tickets.push(...listed(answer.body));
      if (told === undefined || told.status !== 200) told = answer;
    } catch (error) {
      problems.push(`${gateway.url}: ${reason(error)}`);
    }
  }
  return { told: told?.status === 200 && !isOne ? { status: 200, body: { approvals: tickets } } : told, problems };
}

const listed = (body: unknown): readonly unknown[] =>
  typeof body === 'object' && body !== null && 'approvals' in body && Array.isArray(body.approvals)
    ? body.approvals
    : [];

const reason = (error: unknown): string =>
  error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);

/** Arguments are the caller's words: nothing in them may move the cursor of who decides. */
const printable = (value: unknown): string =>
  clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).text.replaceAll('\n', ' ');

const table = (tickets: readonly Ticket[]): string =>
  tickets.length === 0
    ? 'Nothing waits.\n'
    : tickets
        .map(
          (ticket) =>
            `${printable(ticket['id'])}  ${printable(ticket['status']).padEnd(8)}  ${printable(ticket['principal'])}  ${printable(ticket['tool'])}  ${printable(ticket['arguments']).slice(0, 60)}\n`,
        )
        .join('');

const whole = (ticket: Ticket): string =>
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
    .map((key) => `${key.padEnd(12)} ${printable(ticket[key] ?? '-')}\n`)
    .join('');
