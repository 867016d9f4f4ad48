import { keysIn } from '../access/configured/credentials.js';
import { connectDurable } from '../access/configured/shared-state.js';
import type { KeyStore } from '../access/identity/keys.js';
import { sharedKeys } from '../access/identity/shared-keys.js';
import { pinFiles, type PinStore } from '../admission/pins/pin-files.js';
import { sharedPins } from '../admission/pins/shared-pins.js';
import type { Config } from '../config/schema.js';
import { sealedGrants } from '../sources/mcp/oauth/sealed-grants.js';
import type { GrantStore } from '../sources/mcp/oauth/tokens.js';

/** Keys, pins and logins that a command changes: in the state folder, or those of the whole cluster. */
interface Stores {
  keys(): Promise<KeyStore>;
  pins(): Promise<PinStore>;
  /** Absent where logins are files of the state folder. */
  readonly grants?: GrantStore;
  close(): Promise<void>;
}

/** Opens the stores of a configuration; with `cluster` it connects to PostgreSQL, and running replicas follow within a second. */
export async function openStores(
  config: Config,
  env: NodeJS.ProcessEnv,
  home: { readonly folder: string; readonly pins: string },
): Promise<Stores> {
  const durable = await connectDurable(config, env);
  if (durable === undefined)
    return {
      keys: () => Promise.resolve(keysIn(home.folder)),
      pins: () => Promise.resolve(pinFiles(home.pins)),
      close: () => Promise.resolve(),
    };
  const copies = durable.copies();
  return {
    keys: async () => sharedKeys(await copies.open('keys'), { maxStaleMs: () => Infinity }),
    pins: async () => sharedPins(await copies.open('pins')),
    grants: sealedGrants(durable.locked('grants'), durable.keysFor('grants')),
    close: () => durable.close(),
  };
}
