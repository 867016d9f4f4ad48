import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Signature of a request, in one header; a replica in the middle of a rotation signs with both keys. */
interface SignedHead {
  readonly from: string;
  /** Wall-clock milliseconds. */
  readonly time: number;
  readonly nonce: string;
  readonly macs: readonly string[];
}

/** Keys of the secret and the previous one, for requests between replicas. */
export type PeerKeys = readonly Buffer[];

export const signatureHeader = 'toolgate-peer';

/** Largest difference of clocks, and so the time for which nonces are remembered. */
export const maxSkewMs = 30_000;

const headPattern =
  /^v1 ([A-Za-z0-9-]{1,32}) (\d{1,15}) ([A-Za-z0-9_-]{22}) ([A-Za-z0-9_-]{43})(?: ([A-Za-z0-9_-]{43}))?$/;

const macOf = (key: Buffer, parts: readonly (string | number)[]): string =>
  createHmac('sha256', key).update(parts.join('\n')).digest('base64url');

const isSame = (given: string, expected: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));

/**
 * Parts that a request is signed over. The receiver is named with its incarnation, so that a captured request is worth nothing at
 * another replica, nor at the same one after a restart that emptied its memory of nonces (replay).
 */
const requestParts = (
  to: string,
  { from, time, nonce }: Omit<SignedHead, 'macs'>,
  body: Uint8Array,
): readonly (string | number)[] => ['request v1', to, from, time, nonce, hash('sha256', body, 'base64url')];

/** Header of a request to the incarnation `to`, and the nonce that its answer is bound to. */
export function signRequest(
  keys: PeerKeys,
  { from, to, body, now = Date.now() }: { from: string; to: string; body: Uint8Array; now?: number },
): { readonly header: string; readonly nonce: string } {
  const head = { from, time: now, nonce: randomBytes(16).toString('base64url') };
  const macs = keys.slice(0, 2).map((key) => macOf(key, requestParts(to, head, body)));
  return { header: ['v1', from, head.time, head.nonce, ...macs].join(' '), nonce: head.nonce };
}

/** Parses a header; undefined if it is not one, or its time is out of range. */
export function parseHead(header: string | undefined, now: number): SignedHead | undefined {
  const [, from = '', time = '', nonce = '', ...macs] = headPattern.exec(header ?? '') ?? [];
  if (from === '' || Math.abs(Number(time) - now) > maxSkewMs) return undefined;
  return { from, time: Number(time), nonce, macs: macs.filter((mac) => mac !== undefined) };
}

/** The key that signed a request; undefined if none did. */
export function verifyRequest(keys: PeerKeys, to: string, head: SignedHead, body: Uint8Array): Buffer | undefined {
  const parts = requestParts(to, head, body);
  return keys.find((key) => {
    const expected = macOf(key, parts);
    return head.macs.some((mac) => isSame(mac, expected));
  });
}

/** Signature of one line of an answer: bound to the request and to its place, so that no line can be moved, repeated or left out. */
export const signLine = (key: Buffer, nonce: string, index: number, line: string): string =>
  macOf(key, ['answer v1', nonce, index, line]);

export const isSignedLine = (keys: PeerKeys, nonce: string, index: number, line: string, mac: string): boolean =>
  keys.some((key) => isSame(mac, signLine(key, nonce, index, line)));

/** A short text with its signature, for a store that others may write to. */
export const signText = ([key]: PeerKeys, purpose: string, text: string): string =>
  key === undefined ? '' : `${macOf(key, [purpose, text])}.${text}`;

/** The text, if one of the keys signed it for this purpose. */
export function openSignedText(keys: PeerKeys, purpose: string, signed: string): string | undefined {
  const text = signed.slice(signed.indexOf('.') + 1);
  const mac = signed.slice(0, signed.indexOf('.'));
  return keys.some((key) => isSame(mac, macOf(key, [purpose, text]))) ? text : undefined;
}
