import { randomBytes } from 'node:crypto';
import type { Principal } from '../../core/principal.js';
import type { Store } from '../../state/store.js';
import { waitingCalls } from './waiting-calls.js';

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
  /** What the person who decides needs besides; absent in tickets of earlier versions. */
  readonly context?: TicketContext;
  readonly askedAt: string;
  readonly expiresAt: number;
  readonly status: 'pending' | 'approved' | 'denied';
  readonly decidedBy?: string;
  readonly decidedAt?: string;
  /** Why the operator denied it; shown to the caller. */
  readonly denyReason?: string;
}

/** Circumstances of the call. */
export interface TicketContext {
  readonly door: string;
  readonly session?: string;
  readonly correlationId: string;
  /** Arguments that the caller gave; the others are defaults, or derived from them. */
  readonly given: readonly string[];
  readonly derived?: readonly string[];
  readonly labels: readonly string[];
  readonly effects: readonly string[];
  /** Labels that the conversation has touched; absent if too many to record. */
  readonly seenLabels?: readonly string[];
  readonly lastApproved?: ApprovedCall;
}

/** The last call of the same tool by the same caller that was approved. */
interface ApprovedCall {
  readonly at: string;
  readonly by: string;
  /** Redacted arguments, as in the ticket. */
  readonly args: string;
  readonly definition: string;
}

type TicketRequest = Omit<Ticket, 'id' | 'status' | 'askedAt' | 'expiresAt' | 'decidedBy' | 'decidedAt' | 'denyReason'>;

/** Result of deciding a ticket. */
type TicketDecision =
  { readonly ok: true; readonly ticket: Ticket } | { readonly ok: false; readonly why: 'unknown' | 'decided' | 'own' };

export interface Tickets {
  list(): Promise<readonly Ticket[]>;
  get(id: string): Promise<Ticket | undefined>;
  find(binding: string): Promise<Ticket | undefined>;
  /** Opens a ticket, or returns the pending one for the same call; undefined if too many are pending. */
  open(wish: TicketRequest): Promise<Ticket | undefined>;
  decide(id: string, approve: boolean, by: Principal, reason?: string): Promise<TicketDecision>;
  /** The last approved call of this tool by this caller. */
  lastApproved(principal: string, tool: string): Promise<ApprovedCall | undefined>;
  /** Consumes an approved ticket; false if a concurrent call consumed it first. */
  redeem(ticket: Ticket): Promise<boolean>;
  /** Resolves when the ticket is decided, the time is over or the call is aborted. */
  waitForDecision(id: string, ms: number, signal: AbortSignal): Promise<void>;
}

/** Announces decisions to the other replicas, and theirs here. */
export interface DecisionChannel {
  publish(ticket: string): void;
  subscribe(listener: (ticket: string) => void): void;
  /** Interval of looks at a ticket that a call waits for: an announcement may be lost. */
  readonly pollMs: number;
}

interface TicketOptions {
  readonly store: Store;
  /** Read at each use, since a reload may change them. */
  readonly terms: () => { readonly pendingMs: number; readonly grantMs: number; readonly selfApproval: boolean };
  readonly onOpen: (ticket: Ticket) => void;
  readonly onDecide: (ticket: Ticket, by: Principal) => void;
  readonly channel?: DecisionChannel;
  readonly now?: () => number;
}

const ticketSpace = 'tickets';
const callSpace = 'tickets:by-call';
const approvedSpace = 'approved-calls';
/** How long an approved call is remembered for comparison. */
const approvedMs = 90 * 86_400_000;
const longestApprovedArgs = 65_536;
const mostPending = 1_000;
const mostPerPrincipal = 50;

const parse = (text: string): Ticket => JSON.parse(text) as Ticket; // only this module writes the space

/**
 * Tickets in the store, so that they survive a restart; callers cannot approve their own calls. Decisions and redemptions are
 * compare-and-swap: of two operators on two replicas one decides, and of two calls one runs.
 */
export function tickets({ store, terms, onOpen, onDecide, channel, now = Date.now }: TicketOptions): Tickets {
  const waiting = waitingCalls(async (id) => (await get(id))?.status !== 'pending', channel?.pollMs);
  channel?.subscribe(waiting.wake);
  const get = async (id: string): Promise<Ticket | undefined> => {
    const text = await store.get(ticketSpace, id);
    return text === undefined ? undefined : parse(text);
  };
  const list = async (): Promise<readonly Ticket[]> => (await store.list(ticketSpace)).map(({ value }) => parse(value));
  const find = async (binding: string): Promise<Ticket | undefined> => {
    const id = await store.get(callSpace, binding);
    return id === undefined ? undefined : get(id);
  };
  /** Makes a ticket the one of its call; returns the pending ticket of a concurrent call if that was first. */
  const claim = async (ticket: Ticket): Promise<Ticket> => {
    const { binding, id, expiresAt } = ticket;
    for (;;) {
      const current = await store.get(callSpace, binding);
      const other = current === undefined ? undefined : await get(current);
      if (other?.status === 'pending') {
        await store.delete(ticketSpace, id);
        return other;
      }
      const isClaimed =
        current === undefined
          ? await store.add(callSpace, binding, id, { expiresAt })
          : await store.swap(callSpace, binding, current, id, { expiresAt });
      if (isClaimed) return ticket;
    }
  };

  const rememberApproved = async (
    { principal, tool, args, wholeArgs = args, definition }: Ticket,
    by: Principal,
  ): Promise<void> => {
    if (wholeArgs.length > longestApprovedArgs) return;
    const approved: ApprovedCall = { at: new Date(now()).toISOString(), by: by.id, args: wholeArgs, definition };
    await store.put(approvedSpace, `${principal}\n${tool}`, JSON.stringify(approved), {
      expiresAt: now() + approvedMs,
    });
  };

  return {
    list,
    get,
    find,
    async open(wish) {
      const known = await find(wish.binding);
      if (known?.status === 'pending') return known;
      const pending = (await list()).filter(({ status }) => status === 'pending');
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
      await store.put(ticketSpace, ticket.id, JSON.stringify(ticket), { expiresAt: ticket.expiresAt });
      const claimed = await claim(ticket);
      if (claimed === ticket) onOpen(ticket);
      return claimed;
    },
    async lastApproved(principal, tool) {
      const text = await store.get(approvedSpace, `${principal}\n${tool}`);
      return text === undefined ? undefined : (JSON.parse(text) as ApprovedCall); // only `decide` writes here
    },
    async decide(id, approve, by, reason) {
      const text = await store.get(ticketSpace, id);
      if (text === undefined) return { ok: false, why: 'unknown' };
      const ticket = parse(text);
      if (ticket.status !== 'pending') return { ok: false, why: 'decided' };
      // Denying one's own call is harmless; approving it would defeat the approval.
      if (approve && by.id === ticket.principal && !terms().selfApproval) return { ok: false, why: 'own' };
      const expiresAt = now() + terms().grantMs;
      const decided: Ticket = {
        ...ticket,
        status: approve ? 'approved' : 'denied',
        decidedBy: by.id,
        decidedAt: new Date(now()).toISOString(),
        ...(!approve && reason !== undefined && { denyReason: reason }),
        expiresAt,
      };
      if (!(await store.swap(ticketSpace, id, text, JSON.stringify(decided), { expiresAt })))
        return { ok: false, why: 'decided' };
      await store.swap(callSpace, ticket.binding, id, id, { expiresAt });
      if (approve) await rememberApproved(decided, by);
      onDecide(decided, by);
      waiting.wake(id);
      channel?.publish(id);
      return { ok: true, ticket: decided };
    },
    // The entry by call is left to expire: deleting it could remove that of a newer ticket.
    redeem: async (ticket) => (await store.take(ticketSpace, ticket.id)) !== undefined,
    waitForDecision: waiting.wait,
  };
}

/** Whether this principal may decide tickets. */
export const isApprover = ({ roles }: Principal): boolean => roles.includes('admin') || roles.includes('approver');
