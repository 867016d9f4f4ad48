import type { Json } from '../core/json.js';
import { refuse } from '../core/outcome.js';
import type { Peers } from '../core/peers.js';
import { standIn, standInNames } from '../core/stand-in.js';
import type { Tool } from '../core/tool.js';
import { isJsonObject } from '../wire/message.js';

interface FoundResult {
  readonly origin: Tool;
  readonly contents: unknown;
}

/** Results that another replica stores. */
interface PeerResults {
  /** Start of the ids of results that are stored here. */
  readonly idPrefix: string;
  /** Whether a link names another replica. */
  isElsewhere(uri: string): boolean;
  originOf(uri: string, owner: string): Promise<Tool | undefined>;
  read(uri: string, owner: string, signal: AbortSignal): Promise<Json | undefined>;
}

const verb = 'stored result';
/** The form of a replica's name, as the configuration checks it: nothing else may become a key of a store. */
const replicaIn = /^toolgate:\/\/(?:rest|results)\/([A-Za-z0-9-]{1,32})\./;

/**
 * Reads results over the peer door. The replica that stores one checks its owner; the replica that takes the call runs the guards,
 * with its own tool of that name, so that a link never outlives the right to the tool.
 */
export function peerResults(
  { network, toolNamed }: { readonly network: Peers; readonly toolNamed: (name: string) => Tool | undefined },
  find: (uri: string, owner: string) => FoundResult | undefined,
): PeerResults {
  network.handle(verb, ({ body }) => {
    const { uri, owner, whole } = isJsonObject(body) ? body : {};
    const found = find(String(uri), String(owner));
    if (found === undefined) return Promise.resolve(null);
    const { name, source, effects } = found.origin;
    return Promise.resolve({
      origin: { name, source, openWorld: effects.openWorld },
      // Contents are plain JSON; only the interface lacks the index signature.
      ...(whole === true && { contents: found.contents as Json }),
    });
  });
  const standIns = new Map<string, Tool>();
  const ask = async (uri: string, owner: string, whole: boolean, signal?: AbortSignal): Promise<Json | undefined> => {
    const replica = replicaIn.exec(uri)?.[1];
    if (replica === undefined) return undefined;
    const answer = await network.ask(replica, verb, { uri, owner, whole }, signal ? { signal } : {});
    return answer.ok ? answer.body : undefined;
  };
  return {
    idPrefix: `${network.replica}.`,
    isElsewhere: (uri) => (replicaIn.exec(uri)?.[1] ?? network.replica) !== network.replica,
    async originOf(uri, owner) {
      const found = await ask(uri, owner, false);
      const origin = isJsonObject(found) && isJsonObject(found['origin']) ? found['origin'] : undefined;
      if (origin === undefined) return undefined;
      const [name, source, openWorld] = [
        String(origin['name']),
        String(origin['source']),
        origin['openWorld'] === true,
      ];
      const tool = toolNamed(name);
      if (tool?.source === source) return tool;
      const method = standInNames.find((each) => each === name);
      if (method === undefined) return undefined;
      // Few per source; kept, because guards are composed once per tool.
      const key = JSON.stringify([name, source, openWorld]);
      let known = standIns.get(key);
      if (known === undefined) {
        if (standIns.size > 1_000) standIns.clear();
        const never = () => Promise.resolve(refuse('internal', 'A stored result cannot be called'));
        standIns.set(key, (known = standIn(method, { source, openWorld }, never)));
      }
      return known;
    },
    async read(uri, owner, signal) {
      const found = await ask(uri, owner, true, signal);
      return isJsonObject(found) ? found['contents'] : undefined;
    },
  };
}
