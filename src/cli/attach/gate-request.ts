import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { GateRecord } from '../../running/records.js';

/** Response of a gate over its Unix socket. */
interface GateResponse {
  readonly status: number;
  readonly text: string;
}

/** Options of one request; without `token` the owner's token authenticates it. */
interface GateRequestOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Called with each chunk of the body instead of collecting it, for event streams. */
  readonly onChunk?: (chunk: string) => void;
  readonly timeoutMs?: number;
}

/** Responses hold whole tool results; more than this is a gate gone wrong. */
const maxResponseBytes = 268_435_456;

/** Sends one REST request to a gate over its Unix socket, as its owner. */
export function requestGate(
  record: Pick<GateRecord, 'rest' | 'tokenFile'>,
  method: 'GET' | 'POST',
  path: string,
  { body, token = readOwnerToken(record.tokenFile), signal, onChunk, timeoutMs = 0 }: GateRequestOptions = {},
): Promise<GateResponse> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        socketPath: record.rest,
        method,
        path,
        headers: {
          // No name is resolved here, and the gate's check of Host (DNS rebinding) accepts localhost.
          host: 'localhost',
          authorization: `Bearer ${token}`,
          accept: onChunk === undefined ? 'application/json' : 'text/event-stream',
          ...(sent !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
        },
        ...(signal && { signal }),
        ...(timeoutMs > 0 && { timeout: timeoutMs }),
      },
      (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            // Only a successful stream is passed on in pieces; the body of an error is collected for its message.
            if (onChunk !== undefined && answer.statusCode === 200) return onChunk(chunk);
            text += chunk;
            return text.length > maxResponseBytes ? answer.destroy(new Error('the response is too large')) : undefined;
          })
          .on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
          .on('error', reject);
      },
    );
    outgoing
      .on('error', reject)
      .on('timeout', () => outgoing.destroy(new Error('no response in time')))
      .end(sent);
  });
}

/** The token of the gate's owner; empty if it cannot be read, which the gate refuses. */
function readOwnerToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
