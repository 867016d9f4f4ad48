import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

/** Secret keys with names: the first one seals, all of them open (key rotation). */
export interface KeyRing {
  readonly current: NamedKey;
  find(id: string): NamedKey | undefined;
}

interface NamedKey {
  /** Short digest of the key. */
  readonly id: string;
  readonly key: Buffer;
}

const nonceBytes = 12;
const tagBytes = 16;

const named = (key: Buffer): NamedKey => ({ id: hash('sha256', key, 'base64url').slice(0, 6), key });

/** Key ring of 256-bit keys, the current one first. */
export function keyRing(keys: readonly [Buffer, ...Buffer[]]): KeyRing {
  const [first, ...older] = keys;
  const current = named(first);
  const all = new Map([current, ...older.map(named)].map((each) => [each.id, each]));
  return { current, find: (id) => all.get(id) };
}

/** Keys for one purpose, derived from secrets (HKDF): no two purposes share a key. */
export const derivedKeys = (secrets: readonly [string, ...string[]], purpose: string): KeyRing =>
  keyRing(secrets.map((secret) => deriveKey(secret, purpose)) as [Buffer, ...Buffer[]]);

/** One key for one purpose, derived from a secret (HKDF). */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'toolgate', purpose, 32));

/** Encrypts and authenticates a text (AES-256-GCM); the prefix is authenticated too. */
export function sealText(ring: KeyRing, prefix: string, text: string | Uint8Array): string {
  const { id, key } = ring.current;
  const head = `${prefix}${id}.`;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(head));
  const body = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return head + body.toString('base64url');
}

/** Decrypts what `sealText` made; undefined if it was altered, or sealed with a key that is not on the ring. */
export function openText(ring: KeyRing, prefix: string, sealed: string): Buffer | undefined {
  if (!sealed.startsWith(prefix)) return undefined;
  const dot = sealed.indexOf('.', prefix.length);
  const found = dot < 0 ? undefined : ring.find(sealed.slice(prefix.length, dot));
  const body = Buffer.from(sealed.slice(dot + 1), 'base64url');
  // A second spelling of the same bytes would be a second id of the same session.
  if (
    found === undefined ||
    body.length < nonceBytes + tagBytes ||
    body.toString('base64url') !== sealed.slice(dot + 1)
  )
    return undefined;
  const end = body.length - tagBytes;
  try {
    const decipher = createDecipheriv('aes-256-gcm', found.key, body.subarray(0, nonceBytes))
      .setAAD(Buffer.from(sealed.slice(0, dot + 1)))
      .setAuthTag(body.subarray(end));
    return Buffer.concat([decipher.update(body.subarray(nonceBytes, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
