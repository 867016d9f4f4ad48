import { hash, randomFillSync } from 'node:crypto';

/** Lower-case hex SHA-256. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex');

// Asking the system for random bytes costs more than the rest of an id: many are fetched at once, each is used once.
const pool = Buffer.alloc(4_096);
let used = pool.length;

function random16(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
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
