import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Authenticated encryption (AES-256-GCM) of state that a client carries for the gateway. */
interface StateCipher {
  encrypt(value: string): string;
  /** Undefined if it was not encrypted with this key, or was modified. */
  decrypt(sealed: string): string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

/** Cipher with a key that is never stored: states do not survive a restart. */
export function stateCipher(key: Buffer = randomBytes(32)): StateCipher {
  return {
    encrypt(value) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < ivBytes + tagBytes) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
        decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
