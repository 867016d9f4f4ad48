import type { Call } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import type { Holder, SourcePeers } from '../source-peers.js';
import type { Catalog } from './catalog/catalog.js';

/** A list that another replica has read, with what its server states about itself. */
export interface ReadCatalog {
  readonly catalog: Catalog;
  readonly about: { readonly name: string; readonly version: string };
  readonly instructions?: string | undefined;
}

interface PlacedServerOptions {
  readonly source: string;
  readonly peers: SourcePeers;
  readonly placement: 'one' | 'session';
  readonly ownerOf: (call: Call) => string;
  /** Reads the list of the server that runs here. */
  readonly readHere: (signal: AbortSignal) => Promise<ReadCatalog>;
  /** Ends what runs here: another replica runs it now. */
  readonly endHere: () => void;
  /** The list of the server has changed on another replica. */
  readonly onChange: () => void;
}

/** A local server that runs on one replica: all of it (`one`), or each of its connections (`session`). */
export interface PlacedServer {
  holderOf(call: Call): Promise<Holder>;
  /** Reads the list where the server runs. */
  read(signal: AbortSignal): Promise<ReadCatalog>;
  /** Reports a changed list of the server that runs here to the other replicas. */
  changed(): void;
  close(): Promise<void>;
}

/** Finds the replica of a server, and lists it there. */
export function placedServer(options: PlacedServerOptions): PlacedServer {
  const { source, peers, placement, ownerOf, readHere, endHere } = options;
  const { network } = peers;
  const verb = `list ${source}`;
  const stopServing = network.handle(verb, async ({ signal }) => (await readHere(signal)) as unknown as Json);
  const stopListening = peers.lists.listen(source, options.onChange);
  const what = (owner: string): readonly string[] => (placement === 'one' ? [source] : [source, owner]);
  let wasHere = false;
  const find = async (owner: string): Promise<Holder> => {
    const holder = await peers.placement.holderOf(what(owner));
    if (placement === 'one') {
      // This replica was cut off and another one took over meanwhile.
      if (wasHere && holder.at === 'replica') endHere();
      wasHere = holder.at === 'unknown' ? wasHere : holder.at === 'here';
    }
    return holder;
  };
  return {
    holderOf: (call) => find(ownerOf(call)),
    async read(signal) {
      // The list of a server is the same for every connection, so that each replica reads its own.
      if (placement === 'session') return readHere(signal);
      const holder = await find('');
      if (holder.at === 'unknown') throw new Error(holder.message);
      if (holder.at === 'here') return readHere(signal);
      const answer = await network.ask(holder.replica, verb, null, { signal });
      if (!answer.ok) throw new Error(answer.message);
      return answer.body as unknown as ReadCatalog; // authenticated, so written by the handler above
    },
    changed() {
      if (placement === 'one' && wasHere) peers.lists.announce(source);
    },
    async close() {
      stopServing();
      stopListening();
      if (wasHere) await peers.placement.release(what(''));
    },
  };
}
