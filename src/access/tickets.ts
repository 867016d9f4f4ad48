import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import type { Store } from '../state/store.js';

/** A call that waits for an operator's word. */
export interface Ticket {
  readonly id: string;
  /** By which the same call finds it again. */
  readonly binding: string;
  readonly principal: string;
  readonly tool: string;
  readonly source: string;
  /** The arguments as people may see them, and the digest of the arguments as they are. */
  readonly args: string;
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

export type TicketWish = Omit<Ticket, 'id' | 'status' | 'askedAt' | 'expiresAt' | 'decidedBy'>;

/** What became of an operator's word. */
export type Decided =
  { readonly ok: true; readonly ticket: Ticket } | { readonly ok: false; readonly why: 'unknown' | 'decided' | 'own' };

export interface Tickets {
  list(): readonly Ticket[];
  get(id: string): Ticket | undefined;
  find(binding: string): Ticket | undefined;
  /** A new ticket, or the one that waits already; undefined where too many wait. */
  open(wish: TicketWish): Ticket | undefined;
  decide(id: string, approve: boolean, by: Principal): Decided;
  /** Uses an approved ticket up; false where somebody else was faster. */
  redeem(ticket: Ticket): boolean;
  /** Resolves when the ticket is decided, the time is over or the caller is gone. */
  decided(id: string, ms: number, signal: AbortSignal): Promise<void>;
}

export interface TicketOptions {
  readonly store: Store;
  /** Asked each time, since a reload may change them. */
  readonly terms: () => { readonly pendingMs: number; readonly grantMs: number; readonly selfApproval: boolean };
  readonly onOpen: (ticket: Ticket) => void;
  readonly onDecide: (ticket: Ticket, by: Principal) => void;
  readonly now?: () => number;
}

const space = 'tickets';
const mostPending = 1_000;
const mostPerPrincipal = 50;

/** Tickets in the store, so that they outlive a restart; whoever asks cannot be who answers. */
export function tickets({ store, terms, onOpen, onDecide, now = Date.now }: TicketOptions): Tickets {
  const waiting = new Map<string, Set<() => void>>();
  const put = (ticket: Ticket): void => {
    store.put(space, ticket.id, JSON.stringify(ticket), { expiresAt: ticket.expiresAt });
    store.put(`${space}:by-call`, ticket.binding, ticket.id, { expiresAt: ticket.expiresAt });
  };
  const get = (id: string): Ticket | undefined => {
    const text = store.get(space, id);
    return text === undefined ? undefined : (JSON.parse(text) as Ticket); // only `put` writes here
  };
  const list = (): readonly Ticket[] => store.list(space).map(({ value }) => JSON.parse(value) as Ticket);
  const find = (binding: string): Ticket | undefined => {
    const id = store.get(`${space}:by-call`, binding);
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
      // To say no to oneself is harmless; to say yes would make the question a formality.
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
      store.delete(`${space}:by-call`, ticket.binding);
      return store.delete(space, ticket.id);
    },
    decided: (id, ms, signal) =>
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

/** May this principal answer tickets? */
export const isApprover = ({ roles }: Principal): boolean => roles.includes('admin') || roles.includes('approver');

/** A ticket as REST and people see it. */
export const toTicketInfo = ({
  id,
  status,
  principal,
  tool,
  source,
  args,
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
  arguments_digest: argsDigest,
  rules: [...rules],
  reason,
  risk,
  asked_at: askedAt,
  expires_at: new Date(expiresAt).toISOString(),
  decided_by: decidedBy ?? null,
});
