import { randomBytes } from 'node:crypto';
import type { Peers } from '../../core/peers.js';
import { EngineDown } from '../../state/engine.js';
import type { SharedState } from '../../state/shared.js';
import { peerClient } from './ask.js';
import type { Placement } from '../../sources/source-peers.js';
import { peerDirectory, type PeerDirectory } from './directory.js';
import { placementTable } from './placement.js';
import { peerDoor, type PeerHandler } from './door.js';

interface PeerOptions {
  /** `host:port` of the listener. */
  readonly listen: string;
  /** URL under which other replicas reach it; the listener's own by default. */
  readonly advertise: string | undefined;
  readonly onRefused?: (why: string, address: string) => void;
  readonly onBug?: (error: unknown) => void;
}

/** The peer door of this replica, and the way to those of the others. */
export interface PeerNetwork extends Peers {
  readonly directory: PeerDirectory;
  readonly placement: Placement;
  close(): Promise<void>;
}

export const peerPurpose = 'peer door';

/** Opens the peer door and announces it. */
export async function openPeers(
  { replica, fast, allKeysFor }: Pick<SharedState, 'replica' | 'fast' | 'allKeysFor'>,
  { listen, advertise, onRefused, onBug }: PeerOptions,
): Promise<PeerNetwork> {
  const keys = allKeysFor(peerPurpose);
  const incarnation = randomBytes(9).toString('base64url');
  const handlers = new Map<string, PeerHandler>();
  const { host, port } = parseListen(listen);
  const door = await peerDoor({
    host,
    port,
    to: `${replica} ${incarnation}`,
    keys,
    find: (verb) => handlers.get(verb),
    ...(onRefused && { onRefused }),
    ...(onBug && { onBug }),
  });
  const url = advertise ?? `http://${host.includes(':') ? `[${host}]` : host}:${door.port}`;
  const directory = peerDirectory(fast, keys, { replica, url, incarnation });
  const client = peerClient(keys, replica);
  return {
    replica,
    directory,
    placement: placementTable({ store: fast, directory, own: `${replica} ${incarnation}` }),
    handle(verb, handler) {
      handlers.set(verb, handler);
      return () => {
        // A source that replaces another takes its verbs over before the former one is closed.
        if (handlers.get(verb) === handler) handlers.delete(verb);
      };
    },
    async ask(to, verb, body, options) {
      try {
        const address = await directory.find(to);
        if (address === undefined) return { ok: false, why: 'gone', message: `replica ${to} is not running` };
        const answer = await client.ask({ replica: to, address }, verb, body, options);
        if (!answer.ok) directory.forget(to);
        return answer;
      } catch (error) {
        if (!(error instanceof EngineDown)) throw error;
        return { ok: false, why: 'failed', message: error.message };
      }
    },
    async close() {
      directory.close();
      client.close();
      await door.close();
    },
  };
}

/** Splits `host:port`; the brackets of an IPv6 address are removed. The configuration has checked the form. */
function parseListen(listen: string): { readonly host: string; readonly port: number } {
  const colon = listen.lastIndexOf(':');
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) };
}
