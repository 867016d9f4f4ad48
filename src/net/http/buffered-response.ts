import type { Budget } from '../egress/budgets.js';
import { toFailure, type Failed, type Refused, type ResponseHeaders } from '../egress/egress-types.js';
import type { ExchangeControl, Hop, ResponseObserver } from './http-exchange.js';
import { bodyBuffer } from './body-buffer.js';
import { isRedirect } from '../egress/redirects.js';
import { contentCodingOf, decompress, type DecompressionLimits } from './decompression.js';

/** Sends one hop; the sender handles pooling and limits. */
export type Send = (hop: Hop, receiver: ResponseObserver) => ExchangeControl;

/** A complete, decompressed response. */
interface BufferedResponse {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

/** Bytes of a redirect's body that are read to keep the connection; more are not worth it. */
const redirectBodyBytes = 65_536;

/** Sends one hop and reads the response within the limits; discards the body of a redirect that is followed. */
export async function bufferResponse(
  send: Send,
  hop: Hop,
  limits: DecompressionLimits,
  time: Budget,
  follow: boolean,
): Promise<BufferedResponse | Failed | Refused> {
  const answer = await receive(send, hop, limits.maxBytes, time, follow);
  if (answer.kind !== 'answer' || answer.body.length === 0) return answer;
  const coding = contentCodingOf(answer.headers);
  if (coding === undefined) return answer;
  if (typeof coding !== 'string') return coding;
  const body = await decompress(answer.body, coding, limits);
  return Buffer.isBuffer(body) ? (time.spent() ?? { ...answer, body }) : body;
}

/** Collects one response within its limits. */
function receive(
  send: Send,
  hop: Hop,
  maxBytes: number,
  time: Budget,
  follow: boolean,
): Promise<BufferedResponse | Failed | Refused> {
  return new Promise((resolve) => {
    const body = bodyBuffer(maxBytes);
    let head = { status: 0, headers: {} as ResponseHeaders };
    let skippedBytes: number | undefined;
    const answer = (): BufferedResponse => ({ kind: 'answer', ...head, body: body.bytes() });
    const stopWith = (outcome: BufferedResponse | Failed) => {
      control.stop();
      resolve(outcome);
    };
    const tooLarge = () => stopWith(toFailure('too_large', `the response is larger than ${maxBytes} bytes`));
    // The budget may run out at any moment, also between two events.
    time.watch(stopWith);
    const control = send(hop, {
      head: (status, headers) => {
        head = { status, headers };
        if (follow && isRedirect(status, headers)) skippedBytes = 0;
        // Rejects a declared Content-Length over the limit without reading the body.
        else if (hop.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > maxBytes) tooLarge();
      },
      data: (chunk) => {
        if (skippedBytes === undefined) {
          if (!body.add(chunk)) tooLarge();
          return;
        }
        skippedBytes += chunk.length;
        if (skippedBytes > redirectBodyBytes) stopWith(answer());
      },
      end: () => resolve(answer()),
      fail: resolve,
    });
  });
}
