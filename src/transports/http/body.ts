import type { IncomingMessage } from 'node:http';

const empty = Buffer.alloc(0);

/** Reads a body whole, or says that it is larger than allowed, before more of it is taken in. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | 'too_large' | 'broken'> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > maxBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        req.removeAllListeners('data');
        resolve('too_large');
        return;
      }
      chunks.push(chunk);
    });
    req.on('end', () =>
      resolve(chunks.length === 0 ? empty : chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size)),
    );
    req.on('error', () => resolve('broken'));
    req.on('close', () => resolve('broken'));
  });
}
