import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import type { Store } from '../state/store.js';

/** A call that waits for the approval of an operator. */
export interface Ticket {
  readonly id: string;
  /** Binding key, by which the repeated call finds its ticket. */
  readonly binding: string;
  readonly principal: string;
  readonly tool: string;
  readonly source: string;
  /** Redacted arguments for display, with long strings shortened, and the digest of the real ones. */
  readonly args: string;
  /** All of the redacted arguments, if `args` is shortened. */
  readonly wholeArgs?: string;
  readonly argsDigest: string;
  readonly definition: string;
  readonly rules: readonly string[];
  readonly reason: string;
  readonly risk: string;
  readonly askedAt: string;
  readonly expiresAt: number;
  readonly status: 'pending' | 'approved' | 'denied';
  readonly decidedBy?: string;
}

export type TicketRequest = Omit<Ticket, 'id' | 'status' | 'askedAt' | 'expiresAt' | 'decidedBy'>;

/** Result of deciding a ticket. */
export type TicketDecision =
  { readonly ok: true; readonly ticket: Ticket } | { readonly ok: false; readonly why: 'unknown' | 'decided' | 'own' };

export interface Tickets {
  list(): readonly Ticket[];
  get(id: string): Ticket | undefined;
  find(binding: string): Ticket | undefined;
  /** Opens a ticket, or returns the pending one for the same call; undefined if too many are pending. */
  open(wish: TicketRequest): Ticket | undefined;
  decide(id: string, approve: boolean, by: Principal): TicketDecision;
  /** Consumes an approved ticket; false if a concurrent call consumed it first. */
  redeem(ticket: Ticket): boolean;
  /** Resolves when the ticket is decided, the time is over or the call is aborted. */
  waitForDecision(id: string, ms: number, signal: AbortSignal): Promise<void>;
}

export interface TicketOptions {
  readonly store: Store;
  /** Read at each use, since a reload may change them. */
  readonly terms: () => { readonly pendingMs: number; readonly grantMs: number; readonly selfApproval: boolean };
  readonly onOpen: (ticket: Ticket) => void;
  readonly onDecide: (ticket: Ticket, by: Principal) => void;
  readonly now?: () => number;
}

const ticketSpace = 'tickets';
const mostPending = 1_000;
const mostPerPrincipal = 50;

/** Tickets in the store, so that they survive a restart; callers cannot approve their own calls. */
export function tickets({ store, terms, onOpen, onDecide, now = Date.now }: TicketOptions): Tickets {
  const waiting = new Map<string, Set<() => void>>();
  const put = (ticket: Ticket): void => {
    store.put(ticketSpace, ticket.id, JSON.stringify(ticket), { expiresAt: ticket.expiresAt });
    store.put(`${ticketSpace}:by-call`, ticket.binding, ticket.id, { expiresAt: ticket.expiresAt });
  };
  const get = (id: string): Ticket | undefined => {
    const text = store.get(ticketSpace, id);
    return text === undefined ? undefined : (JSON.parse(text) as Ticket); // only `put` writes here
  };
  const list = (): readonly Ticket[] => store.list(ticketSpace).map(({ value }) => JSON.parse(value) as Ticket);
  const find = (binding: string): Ticket | undefined => {
    const id = store.get(`${ticketSpace}:by-call`, binding);
    return id === undefined ? undefined : get(id);
  };

  return {
    list,
    get,
    find,
    open(wish) {
      const known = find(wish.binding);
      if (known?.status === 'pending') return known;
      const pending = list().filter(({ status }) => status === 'pending');
      if (
        pending.length >= mostPending ||
        pending.filter(({ principal }) => principal === wish.principal).length >= mostPerPrincipal
      )
        return undefined;
      const ticket: Ticket = {
        ...wish,
        id: `tk_${randomBytes(12).toString('base64url')}`,
        status: 'pending',
        askedAt: new Date(now()).toISOString(),
        expiresAt: now() + terms().pendingMs,
      };
      put(ticket);
      onOpen(ticket);
      return ticket;
    },
    decide(id, approve, by) {
      const ticket = get(id);
      if (ticket === undefined) return { ok: false, why: 'unknown' };
      if (ticket.status !== 'pending') return { ok: false, why: 'decided' };
      // Denying one's own call is harmless; approving it would defeat the approval.
      if (approve && by.id === ticket.principal && !terms().selfApproval) return { ok: false, why: 'own' };
      const decided: Ticket = {
        ...ticket,
        status: approve ? 'approved' : 'denied',
        decidedBy: by.id,
        expiresAt: now() + terms().grantMs,
      };
      put(decided);
      onDecide(decided, by);
      for (const wake of waiting.get(id) ?? []) wake();
      return { ok: true, ticket: decided };
    },
    redeem(ticket) {
      store.delete(`${ticketSpace}:by-call`, ticket.binding);
      return store.delete(ticketSpace, ticket.id);
    },
    waitForDecision: (id, ms, signal) =>
      new Promise((resolve) => {
        const wakes = waiting.get(id) ?? new Set();
        waiting.set(id, wakes);
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          wakes.delete(wake);
          if (wakes.size === 0) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        wakes.add(wake);
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      }),
  };
}

/** Whether this principal may decide tickets. */
export const isApprover = ({ roles }: Principal): boolean => roles.includes('admin') || roles.includes('approver');

/** Ticket with all of its arguments, however long. */
export const toWholeTicketInfo = (ticket: Ticket): JsonObject => ({
  ...toTicketInfo(ticket),
  arguments_whole: ticket.wholeArgs ?? ticket.args,
});

/** Ticket as REST, events and the CLI show it. */
export const toTicketInfo = ({
  id,
  status,
  principal,
  tool,
  source,
  args,
  wholeArgs,
  argsDigest,
  rules,
  reason,
  risk,
  askedAt,
  expiresAt,
  decidedBy,
}: Ticket): JsonObject => ({
  id,
  status,
  principal,
  tool,
  source,
  arguments: args,
  arguments_shortened: wholeArgs !== undefined,
  arguments_digest: argsDigest,
  rules: [...rules],
  reason,
  risk,
  asked_at: askedAt,
  expires_at: new Date(expiresAt).toISOString(),
  decided_by: decidedBy ?? null,
});
