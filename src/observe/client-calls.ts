import { escapeInvisible } from '../lib/text/escape-invisible.js';

/** Last call of each client program, by the name it declares; a name is a claim and grants nothing. */
export interface ClientCalls {
  note(client: string): void;
  /** Newest first. */
  list(): readonly { readonly client: string; readonly at: number; readonly calls: number }[];
}

/** Bounds: names are chosen by clients. */
const maxClients = 100;
const maxNameLength = 100;

/** Keeps the newest clients; a caller that invents names evicts only the oldest ones. */
export function clientCalls(now: () => number = Date.now): ClientCalls {
  const seen = new Map<string, { at: number; calls: number }>();
  return {
    note(client) {
      const known = seen.get(client);
      if (known !== undefined) {
        known.at = now();
        known.calls += 1;
        return;
      }
      seen.set(client, { at: now(), calls: 1 });
      if (seen.size <= maxClients) return;
      // A sort over a hundred entries, and only when a new name appears.
      const [oldest] = [...seen].sort(([, a], [, b]) => a.at - b.at);
      if (oldest) seen.delete(oldest[0]);
    },
    list: () =>
      [...seen]
        // Escaped, since the name is shown in terminals and in the console.
        .map(([client, { at, calls }]) => ({ client: escapeInvisible(client.slice(0, maxNameLength)), at, calls }))
        .sort((a, b) => b.at - a.at),
  };
}
