import { createPrivateKey, createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import type { ArchivedCheckpoint, AuditArchive } from '../../../state/postgres/audit-archive.js';

/** Signed statement about the last line of every journal, chained to the one before. */
export interface CheckpointBody {
  readonly id: number;
  readonly at: string;
  /** Hash of the body before; absent in the first. */
  readonly previous?: string;
  readonly heads: Readonly<Record<string, { readonly seq: number; readonly hash: string }>>;
  /** Journals whose replica vanished, with the last line that arrived. */
  readonly lost: Readonly<Record<string, number>>;
}

/** Silence after which a replica that did not end in order counts as lost. */
const lostSeconds = 120;
/** DER prefix of an Ed25519 private key (RFC 8410); the seed follows. */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Key that signs checkpoints, derived from the cluster secret: write access to the database alone cannot forge one. */
export const checkpointKey = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privateKeyPrefix, seed]), format: 'der', type: 'pkcs8' });

/** Public part, as text for `audit verify --fleet`. */
export const publicKeyText = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64url');

export const checkpointHash = (body: string): string => hash('sha256', body);

export const isSignedBy = (keys: readonly KeyObject[], { body, signature }: ArchivedCheckpoint): boolean =>
  keys.some((key) => verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64url')));

/** Writes a checkpoint of all journals, unless another replica does so; none if nothing was added since the last. */
export function writeCheckpoint(archive: AuditArchive, key: KeyObject, now: () => Date = () => new Date()) {
  return archive.addCheckpoint(async (last) => {
    const journals = await archive.journals();
    const heads = Object.fromEntries(journals.flatMap(({ journal, head }) => (head ? [[journal, head] as const] : [])));
    const lost = Object.fromEntries(
      journals
        .filter(({ closed, silentSeconds }) => !closed && silentSeconds > lostSeconds)
        .map(({ journal, head }) => [journal, head?.seq ?? 0] as const),
    );
    const before = last && (JSON.parse(last.body) as CheckpointBody); // verified by readers
    if (before && JSON.stringify([before.heads, before.lost]) === JSON.stringify([heads, lost])) return undefined;
    const id = (last?.id ?? 0) + 1;
    const body = JSON.stringify({
      id,
      at: now().toISOString(),
      ...(last && { previous: checkpointHash(last.body) }),
      heads,
      lost,
    } satisfies CheckpointBody);
    return { id, body, signature: sign(null, Buffer.from(body), key).toString('base64url') };
  });
}
