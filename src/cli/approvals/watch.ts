import { pause } from '../../lib/pause.js';
import { failure } from '../command-line.js';
import type { Io } from '../io.js';
import type { RunningGateway } from '../running-gateway.js';
import { queryGateways } from './query.js';
import { ticketDetails, toPrintable, typedCharacters, type Ticket } from './ticket-text.js';

/** Interval of polling: short enough that an approval feels immediate, long enough to cost nothing. */
const lookMs = 500;

/**
 * Asks at the terminal about each call that waits, until interrupted; with `--json` prints tickets and their decisions without
 * asking. Gateways are looked for anew each time: assistants start and end them.
 */
export async function watchTickets(gateways: () => readonly RunningGateway[], io: Io): Promise<number> {
  if (io.ask === undefined && io.json !== true)
    return failure('approvals', '--watch needs a terminal, or --json to print the calls without asking', io);
  // Status by ticket: a ticket is shown once per status, however often it is listed.
  const seen = new Map<string, string>();
  let problem: string | undefined;
  if (io.json !== true) io.err('Waiting for calls that need approval; interrupt to end.\n');
  while (!io.signal.aborted) {
    const answer = await queryGateways(gateways(), { method: 'GET', path: '/approvals', isOne: false });
    // A lasting problem is reported once, not twice a second.
    if ('problem' in answer && answer.problem !== problem && !io.signal.aborted)
      failure('approvals', answer.problem, io);
    problem = 'problem' in answer ? answer.problem : undefined;
    const tickets = 'problem' in answer ? [] : (answer.body['approvals'] as readonly Ticket[]); // merged by the query
    for (const ticket of tickets) {
      const [id, status] = [String(ticket['id']), String(ticket['status'])];
      if (seen.get(id) === status) continue;
      const isFirst = !seen.has(id);
      seen.set(id, status);
      if (io.json === true) io.out(`${JSON.stringify(ticket)}\n`);
      else if (status === 'pending') await decide(id, gateways(), io);
      else if (!isFirst) io.err(`${toPrintable(id)} was ${toPrintable(status)}\n`);
    }
    await pause(lookMs, io.signal);
  }
  return 0;
}

/** Shows a call and asks about it; only the last characters of the ticket approve, "deny" denies, anything else leaves it waiting. */
async function decide(id: string, gateways: readonly RunningGateway[], io: Io): Promise<void> {
  const path = `/approvals/${encodeURIComponent(id)}`;
  // All of the arguments: an approval of a shortened call approves what is cut off.
  const whole = await queryGateways(gateways, { method: 'GET', path: `${path}?whole=true`, isOne: true });
  // Decided or expired in the meantime: there is nothing left to ask.
  if ('problem' in whole) return;
  io.err(`\n${ticketDetails(whole.body)}`);
  // Typing part of the id proves that this ticket was read; a plain "y" could belong to the one before it.
  const typed =
    (await io.ask?.(`Last ${typedCharacters} characters of the ticket to approve, "deny", or Enter to skip: `)) ?? '';
  const verb = typed.trim() === id.slice(-typedCharacters) ? 'approve' : typed.trim() === 'deny' ? 'deny' : undefined;
  if (verb === undefined) {
    if (!io.signal.aborted) io.err('left waiting\n');
    return;
  }
  const answer = await queryGateways(gateways, { method: 'POST', path: `${path}/${verb}`, isOne: true });
  if ('problem' in answer) failure('approvals', answer.problem, io);
  else io.err(`${verb === 'approve' ? 'approved' : 'denied'}\n`);
}
