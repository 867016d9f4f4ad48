import type { IncomingMessage } from 'node:http';

/** Shared by all requests without a body. */
const empty = Buffer.alloc(0);

/** Reads a request body; stops as soon as it exceeds `maxBytes`, so that a client cannot exhaust memory. */
export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | 'too_large' | 'broken'> {
  const declared = Number(req.headers['content-length'] ?? 0);
  // Reject by Content-Length before reading; the count below covers chunked bodies and false lengths.
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
    // The client disconnected; resolves only if `end` did not come first.
    req.on('close', () => resolve('broken'));
  });
}
