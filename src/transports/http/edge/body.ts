import type { IncomingMessage } from 'node:http';
import type { BodyLease } from './body-budget.js';

/** Shared by all requests without a body. */
const empty = Buffer.alloc(0);

/** Why a body was not read: over the limit, over the budget of all bodies, or the client disconnected. */
export type BodyProblem = 'too_large' | 'overloaded' | 'broken';

/** Reads a request body; stops as soon as it exceeds `maxBytes` or the lease, so that clients cannot exhaust memory. */
export function readBody(req: IncomingMessage, maxBytes: number, lease: BodyLease): Promise<Buffer | BodyProblem> {
  const declared = Number(req.headers['content-length'] ?? 0);
  // Reject by Content-Length before reading; the count below covers chunked bodies and false lengths.
  if (declared > maxBytes) return Promise.resolve('too_large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (problem: BodyProblem): void => {
      req.removeAllListeners('data');
      chunks.length = 0;
      resolve(problem);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) stop('too_large');
      else if (lease.take(chunk.length)) chunks.push(chunk);
      else stop('overloaded');
    });
    req.on('end', () =>
      resolve(chunks.length === 0 ? empty : chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size)),
    );
    req.on('error', () => resolve('broken'));
    // The client disconnected; resolves only if `end` did not come first.
    req.on('close', () => resolve('broken'));
  });
}

/** Whether a request announces a body. */
export const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

export const noBody = empty;
