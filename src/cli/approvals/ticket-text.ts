import { clean } from '../../hostile-text/clean.js';
import type { Io } from '../io.js';
import { tableLines } from '../terminal.js';

/** A ticket as the approval routes describe it. */
export type Ticket = Readonly<Record<string, unknown>>;

/** Characters of a ticket that are typed to approve it. */
export const typedCharacters = 4;

/** Arguments are the caller's text: escape sequences in them must not rewrite the terminal of the operator (terminal injection). */
export const toPrintable = (value: unknown): string =>
  clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).text.replaceAll('\n', ' ');

/** One line per ticket, cut with a mark at the width of the terminal. */
export const ticketTable = (tickets: readonly Ticket[], io: Pick<Io, 'columns'>): string =>
  tickets.length === 0
    ? 'No calls are waiting for approval.\n'
    : tableLines(
        tickets.map((ticket) =>
          ['id', 'status', 'principal', 'tool', 'arguments'].map((key) => toPrintable(ticket[key])),
        ),
        io,
      )
        .map((line) => `${line}\n`)
        .join('');

/** Fields of a ticket in the order in which an operator needs them: what, by which caller, why, until when. */
const shownKeys = [
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
];

/** All of a ticket, arguments uncut. */
export const ticketDetails = (ticket: Ticket): string =>
  shownKeys
    .map(
      (key) =>
        `${key.padEnd(12)} ${toPrintable((key === 'arguments' ? ticket['arguments_whole'] : undefined) ?? ticket[key] ?? '-')}\n`,
    )
    .join('');
