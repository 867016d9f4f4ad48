import { hash, randomFillSync, webcrypto } from 'node:crypto';

/** Lower-case hex SHA-256. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex');

/** The same, computed by a thread of the pool: a large text would hold up the event loop. */
export async function sha256InPool(text: string): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');
}

// A system call for random bytes costs more than the rest of an id: they are fetched in bulk, and each is used once.
const pool = Buffer.alloc(4_096);
let poolOffset = pool.length;

function random16(): Buffer {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += 16;
  return pool.subarray(poolOffset - 16, poolOffset);
}

/** A time-ordered UUID (version 7). */
export function uuid7(now: number = Date.now()): string {
  const bytes = random16();
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
