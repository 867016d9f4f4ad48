import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Hides and signs what a client carries for us; nobody outside this process can read, change or make one. */
export interface Seal {
  close(value: string): string;
  /** Undefined where it was not closed here. */
  open(sealed: string): string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

/** A seal whose key lives and ends with it. */
export function seal(key: Buffer = randomBytes(32)): Seal {
  return {
    close(value) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed) {
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
