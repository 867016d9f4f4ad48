import { createPublicKey, type KeyObject } from 'node:crypto';
import { connectDurable } from '../access/configured/shared-state.js';
import type { Config } from '../config/schema.js';
import { checkpointKey, publicKeyText } from '../observe/audit/fleet/checkpoints.js';
import { postgresAuditArchive, type AuditArchive } from '../state/postgres/audit-archive.js';
import { checkpointPurpose } from './fleet-audit.js';

/** The audit of a whole fleet, for the command line. */
interface OpenArchive {
  readonly archive: AuditArchive;
  /** Keys of the secret and the previous one. */
  readonly keys: readonly KeyObject[];
  /** Public key of the present secret. */
  readonly publicKey: string;
  close(): Promise<void>;
}

/** Opens the archive of a configuration; undefined without `cluster`. */
export async function openAuditArchive(config: Config, env: NodeJS.ProcessEnv): Promise<OpenArchive | undefined> {
  const durable = await connectDurable(config, env);
  if (durable === undefined) return undefined;
  const key = checkpointKey(durable.keyFor(checkpointPurpose));
  return {
    archive: postgresAuditArchive(durable.postgres),
    keys: durable.allKeysFor(checkpointPurpose).map((seed) => createPublicKey(checkpointKey(seed))),
    publicKey: publicKeyText(key),
    close: () => durable.close(),
  };
}

/** Public key that `audit verify --fleet` printed; undefined if the text is none. */
export function parsePublicKey(text: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
