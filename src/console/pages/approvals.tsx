import { useEffect, useState } from 'preact/hooks';
import { api, segment } from '../lib/api.js';
import { clock, countdown } from '../lib/format.js';
import { useKeys } from '../lib/keys.js';
import { go, href } from '../lib/router.js';
import type { TicketInfo } from '../lib/tickets.js';
import { decidedTickets, pendingTickets, putTickets, ticketOf, ticketsAt, ticketsError } from '../lib/tickets.js';
import type { PageParams } from './index.js';
import { Chip, Empty, Origin, ErrorNote, Time } from '../parts/basics.js';
import { Name } from '../parts/text.js';
import { TicketDetail } from '../parts/ticket-detail.js';

/** Inbox of calls that wait for approval, workable by keyboard. */
export function ApprovalsPage({ id }: PageParams) {
  const pending = pendingTickets.value;
  const chosen = id;
  const first = pending[0]?.id;
  // The choice is in the address and never moves by itself: a key must not decide a call that just took the place of another.
  useEffect(() => {
    if (id === undefined && first !== undefined) go(`/approvals/${segment(first)}`, { replace: true });
  }, [id, first]);
  const move = (step: number): void => {
    const index = pending.findIndex((ticket) => ticket.id === chosen);
    const next = pending[Math.max(0, Math.min(pending.length - 1, index + step))];
    if (next) go(`/approvals/${segment(next.id)}`, { replace: true });
  };
  useKeys(
    [
      { keys: 'j', does: 'Next ticket', run: () => move(1) },
      { keys: 'k', does: 'Previous ticket', run: () => move(-1) },
    ],
    [chosen, pending],
  );
  return (
    <>
      <h1>Approvals</h1>
      <Origin of="GET /approvals, events" at={ticketsAt.value} />
      {ticketsError.value !== undefined && <ErrorNote error={{ message: ticketsError.value }} />}
      <div class={id === undefined ? 'two-columns' : 'two-columns has-choice'}>
        <div class="list-column">
          {pending.length === 0 && (
            <Empty title="No call waits for approval.">
              <p>
                A rule with <code>action: confirm</code> makes calls wait here; <code>toolgate explain</code> shows
                which rule decides a call.
              </p>
            </Empty>
          )}
          <TicketList tickets={pending} chosen={chosen} />
          {decidedTickets.value.length > 0 && <h2 class="list-title">Decided</h2>}
          <TicketList tickets={decidedTickets.value} chosen={chosen} />
        </div>
        <div class="detail-column">{chosen !== undefined && <ChosenTicket id={chosen} key={chosen} />}</div>
      </div>
    </>
  );
}

const TicketList = ({
  tickets,
  chosen,
}: {
  readonly tickets: readonly TicketInfo[];
  readonly chosen: string | undefined;
}) => (
  <ul class="tickets">
    {tickets.map((ticket) => (
      <li key={ticket.id}>
        <a href={href(`/approvals/${segment(ticket.id)}`)} aria-current={ticket.id === chosen ? 'true' : undefined}>
          <span class="ticket-tool">
            <Name>{ticket.tool}</Name>
          </span>
          <span class="ticket-by">
            <Name>{ticket.principal}</Name> · <Time at={ticket.asked_at} />
          </span>
          {ticket.status === 'pending' ? (
            <span class="ticket-left">{countdown(Date.parse(ticket.expires_at) - clock.value)}</span>
          ) : (
            <Chip
              meaning={ticket.status === 'approved' ? 'good' : 'bad'}
              icon={ticket.status === 'approved' ? 'check' : 'cross'}
            >
              {ticket.status}
            </Chip>
          )}
        </a>
      </li>
    ))}
  </ul>
);

/** Loads a ticket that is not in the list: it was decided before this page was opened, or does not exist. */
function ChosenTicket({ id }: { readonly id: string }) {
  const [problem, setProblem] = useState<string>();
  const ticket = ticketOf(id);
  const isDecided = ticket !== undefined && ticket.status !== 'pending';
  useEffect(() => {
    // A decided ticket is gone once its call ran; the page keeps what it has seen.
    if (isDecided) return;
    api<TicketInfo>(`/approvals/${segment(id)}`)
      .then((found) => {
        setProblem(undefined);
        putTickets([found]);
      })
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [id, isDecided]);
  if (ticket === undefined) return problem === undefined ? null : <ErrorNote error={{ message: problem }} />;
  return <TicketDetail ticket={ticket} isGone={problem !== undefined} />;
}
