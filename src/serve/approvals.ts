import type { Seals } from '../access/seals.js';
import { seals } from '../access/seals.js';
import { isApprover, tickets as makeTickets, toTicketInfo, toWholeTicketInfo } from '../access/tickets.js';
import type { Ticket, Tickets } from '../access/tickets.js';
import type { Config } from '../config/schema.js';
import type { Principal } from '../core/principal.js';
import type { EventBus } from '../observe/events.js';
import type { Log } from '../observe/log.js';
import type { Store } from '../state/store.js';
import type { Approvals } from '../transports/http/approvals.js';

export interface ApprovalsOptions {
  readonly config: () => Config;
  readonly open: () => Promise<Store>;
  readonly log: Log;
  readonly events: EventBus;
  /** Records the decision of an operator in the audit. */
  readonly onAnswer: (ticket: Ticket, by: Principal) => void;
}

/** Open approvals; they survive reloads. */
export interface ApprovalBooks {
  /** Opens the state at the first use. */
  open(): Promise<{ readonly seals: Seals; readonly tickets: Tickets }>;
  readonly approvals: Approvals;
  /** Resolves at the first use. */
  readonly asked: Promise<void>;
}

/** Seals of approval forms, and the tickets operators decide. */
export function approvalBooks({ config, open, log, events, onAnswer }: ApprovalsOptions): ApprovalBooks {
  let markRequested = (): void => {};
  const requested = new Promise<void>((resolve) => (markRequested = resolve));
  let opened: ReturnType<typeof make> | undefined;
  const make = async () => {
    const store = await open();
    markRequested();
    return {
      seals: seals(store),
      tickets: makeTickets({
        store,
        terms() {
          const {
            ticket_seconds: pending,
            ttl_seconds: grant,
            self_approval: selfApproval,
          } = config().policy.confirmation;
          return { pendingMs: pending * 1000, grantMs: grant * 1000, selfApproval };
        },
        onOpen(ticket) {
          log.event('approval.asked', {
            ticket: ticket.id,
            tool: ticket.tool,
            principal: ticket.principal,
            rules: [...ticket.rules],
          });
          events.publish('approval', toTicketInfo(ticket));
        },
        onDecide(ticket, by) {
          log.event('approval.decided', {
            ticket: ticket.id,
            tool: ticket.tool,
            principal: ticket.principal,
            status: ticket.status,
            by: by.id,
          });
          events.publish('approval', toTicketInfo(ticket));
          onAnswer(ticket, by);
        },
      }),
    };
  };
  const books = () => (opened ??= make());
  const tickets = async (): Promise<Tickets> => (await books()).tickets;

  return {
    asked: requested,
    open: books,
    approvals: {
      mayAnswer: isApprover,
      list: async () => (await tickets()).list().map(toTicketInfo),
      async get(id, whole) {
        const found = (await tickets()).get(id);
        return found && (whole ? toWholeTicketInfo(found) : toTicketInfo(found));
      },
      async answer(id, approve, by) {
        const answered = (await tickets()).decide(id, approve, by);
        return answered.ok ? { ok: true, ticket: toTicketInfo(answered.ticket) } : answered;
      },
    },
  };
}
