import type { SealOptions, Seals } from '../approvals/seals.js';
import { seals } from '../approvals/seals.js';
import { isApprover, tickets as makeTickets } from '../approvals/tickets.js';
import { toTicketInfo, toWholeTicketInfo } from '../approvals/ticket-info.js';
import type { DecisionChannel, Ticket, Tickets } from '../approvals/tickets.js';
import { configuredWebhook } from './webhook.js';
import type { Config } from '../../config/schema.js';
import type { Approvals } from '../../core/approvals.js';
import type { Door } from '../../core/call.js';
import type { Principal } from '../../core/principal.js';
import { clean } from '../../hostile-text/clean.js';
import type { EventBus } from '../../observe/events.js';
import type { Log } from '../../observe/log/log.js';
import type { Store } from '../../state/store.js';

/** What approvals are built from. */
interface ApprovalsOptions {
  readonly config: () => Config;
  readonly open: () => Promise<Store>;
  /** Key, used states and announcements that several replicas share. */
  readonly shared?:
    { readonly seals: Pick<SealOptions, 'key' | 'used'>; readonly channel: DecisionChannel } | undefined;
  readonly log: Log;
  readonly events: EventBus;
  readonly env: NodeJS.ProcessEnv;
  /** Records the decision of an operator in the audit. */
  readonly onAnswer: (ticket: Ticket, by: Principal, door: Door) => void;
}

/** Open approvals; they survive reloads. */
export interface ApprovalBooks {
  /** Opens the state at the first use. */
  open(): Promise<{ readonly seals: Seals; readonly tickets: Tickets }>;
  readonly approvals: Approvals;
  /** Resolves at the first use. */
  readonly asked: Promise<void>;
  /** Ends deliveries of the webhook. */
  close(): Promise<void>;
}

/** Seals of approval forms, and the tickets operators decide. */
export function approvalBooks(options: ApprovalsOptions): ApprovalBooks {
  const { config, open, shared, log, events, onAnswer } = options;
  const webhook = configuredWebhook(config, options.env, log);
  let markRequested = (): void => {};
  const requested = new Promise<void>((resolve) => (markRequested = resolve));
  let opened: ReturnType<typeof make> | undefined;
  const make = async () => {
    const store = await open();
    markRequested();
    return {
      seals: await seals(store, shared?.seals),
      tickets: makeTickets({
        store,
        ...(shared && { channel: shared.channel }),
        // Read at each use, so that a reload applies to tickets opened afterwards.
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
          webhook.send('approval.requested', toTicketInfo(ticket));
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
          webhook.send('approval.decided', toTicketInfo(ticket));
        },
      }),
    };
  };
  // Once, at the first call that needs approval.
  const books = () => (opened ??= make());
  const tickets = async (): Promise<Tickets> => (await books()).tickets;

  return {
    asked: requested,
    close: () => webhook.close(),
    open: books,
    approvals: {
      mayAnswer: isApprover,
      list: async () => (await (await tickets()).list()).map(toTicketInfo),
      async get(id, whole) {
        const found = await (await tickets()).get(id);
        return found && (whole ? toWholeTicketInfo(found) : toTicketInfo(found));
      },
      async answer(id, approve, by, { reason, door }) {
        // The reason is shown to the caller and in terminals, so hidden characters are removed.
        const answered = await (await tickets()).decide(id, approve, by, reason && clean(reason).text);
        if (answered.ok) onAnswer(answered.ticket, by, door);
        return answered.ok ? { ok: true, ticket: toTicketInfo(answered.ticket) } : answered;
      },
    },
  };
}
