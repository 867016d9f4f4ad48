import { computed, signal } from '@preact/signals';
import { api } from './api.js';
import { onEvents } from './events.js';

/** A ticket as `GET /approvals` returns it. */
export interface TicketInfo {
  readonly id: string;
  readonly status: 'pending' | 'approved' | 'denied';
  readonly principal: string;
  readonly tool: string;
  readonly source: string;
  /** Arguments as JSON, shortened if they are long, so that one ticket cannot fill the list. */
  readonly arguments: string;
  readonly arguments_shortened: boolean;
  readonly argument_rows?: readonly ArgumentRow[];
  /** Hash of the tool definition; compared with that of the last approved call to reveal a rug pull. */
  readonly definition?: string;
  readonly rules: readonly string[];
  readonly reason: string;
  readonly risk: string;
  readonly asked_at: string;
  readonly expires_at: string;
  readonly decided_by: string | null;
  readonly decided_at?: string | null;
  readonly deny_reason?: string | null;
  readonly door?: string;
  readonly session?: string | null;
  readonly correlation_id?: string;
  readonly labels?: readonly string[];
  readonly effects?: readonly string[];
  /** Labels of data the conversation has read; null if there are more than the gateway records. */
  readonly seen_labels?: readonly string[] | null;
  readonly last_approved?: { readonly at: string; readonly by: string } | null;
  readonly definition_changed?: boolean | null;
  readonly recent_calls?: readonly RecentCall[];
}

export interface ArgumentRow {
  readonly name: string;
  readonly value: string;
  /** Null if it was not recorded. */
  readonly origin: 'given' | 'default' | 'derived' | null;
  readonly changed: boolean | null;
  readonly previous?: string;
}

interface RecentCall {
  readonly call: string;
  readonly at: string;
  readonly tool: string;
  readonly decision: string;
  readonly code?: string;
}

const byId = signal<ReadonlyMap<string, TicketInfo>>(new Map());
/** Time of the last list, undefined before the first. */
export const ticketsAt = signal<number | undefined>(undefined);
export const ticketsError = signal<string | undefined>(undefined);

/** Tickets that wait, the oldest first: it expires first. */
export const pendingTickets = computed(() =>
  [...byId.value.values()]
    .filter(({ status }) => status === 'pending')
    .sort((a, b) => Date.parse(a.asked_at) - Date.parse(b.asked_at)),
);
/** Decided tickets that this page has seen, the newest first. */
export const decidedTickets = computed(() =>
  [...byId.value.values()]
    .filter(({ status }) => status !== 'pending')
    .sort((a, b) => Date.parse(b.decided_at ?? b.asked_at) - Date.parse(a.decided_at ?? a.asked_at))
    .slice(0, 50),
);
export const ticketOf = (id: string): TicketInfo | undefined => byId.value.get(id);

/** Tickets of events that arrived during a request: they are newer than its answer. */
let arrivedDuringLoad: TicketInfo[] = [];
/** Concurrent requests for the list; events are collected while there is at least one. */
let loads = 0;

export function putTickets(tickets: readonly TicketInfo[]): void {
  if (loads > 0) arrivedDuringLoad.push(...tickets);
  merge(tickets);
}

function merge(tickets: readonly TicketInfo[]): void {
  const next = new Map(byId.value);
  // Merged over the old record: an event may carry fewer fields than the detail.
  for (const ticket of tickets) next.set(ticket.id, { ...next.get(ticket.id), ...ticket });
  byId.value = next;
}

/** Requests the list: pending tickets that it lacks were decided, used or expired meanwhile. */
export async function loadTickets(): Promise<void> {
  loads += 1;
  try {
    const { approvals } = await api<{ readonly approvals: readonly TicketInfo[] }>('/approvals');
    const decided = [...byId.value.values()].filter(({ status }) => status !== 'pending');
    byId.value = new Map([...decided, ...approvals].map((ticket) => [ticket.id, ticket]));
    // Replayed on top, otherwise a decision made during the request would be undone by its older snapshot.
    merge(arrivedDuringLoad);
    ticketsAt.value = Date.now();
    ticketsError.value = undefined;
  } catch (error) {
    ticketsError.value = error instanceof Error ? error.message : String(error);
  } finally {
    loads -= 1;
    if (loads === 0) arrivedDuringLoad = [];
  }
}

/** Keeps the tickets current while the shell is shown. */
export function watchTickets(): () => void {
  return onEvents('approval', (events) => putTickets(events.map(({ data }) => data as unknown as TicketInfo)));
}

/** Removes tickets whose time is over. */
export function dropExpired(now: number): void {
  // A new map only if something expired: this runs every second and would redraw the inbox each time.
  const all = [...byId.value.values()];
  const left = all.filter(({ status, expires_at: until }) => status !== 'pending' || Date.parse(until) > now);
  if (left.length < all.length) byId.value = new Map(left.map((ticket) => [ticket.id, ticket]));
}

/** Approves or denies; returns the problem, if any. Another person may have been faster. */
export async function decideTicket(id: string, approve: boolean, reason?: string): Promise<string | undefined> {
  try {
    const ticket = await api<TicketInfo>(`/approvals/${encodeURIComponent(id)}/${approve ? 'approve' : 'deny'}`, {
      method: 'POST',
      ...(reason && { body: { reason } }),
    });
    // No optimistic update: the ticket shows a decision only after the gateway confirmed it.
    putTickets([ticket]);
    return undefined;
  } catch (error) {
    // The usual cause is a ticket decided elsewhere, so the fresh list no longer shows it as open.
    void loadTickets();
    return error instanceof Error ? error.message : String(error);
  }
}
