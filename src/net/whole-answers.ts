import type { Budget } from './budgets.js';
import { failed, type Failed, type Refused, type ResponseHeaders } from './egress-types.js';
import type { Flow, Hop, Receiver } from './exchanges.js';
import { gathered } from './gathered.js';
import { isRedirect } from './redirects.js';
import { codingOf, unpacked, type UnpackLimits } from './unpacking.js';

/** Sends one hop; how that is counted and pooled is the sender's business. */
export type Send = (hop: Hop, receiver: Receiver) => Flow;

/** One answer, read to its end and unpacked. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

const redirectBodyBytes = 65_536;

/** Sends one hop and reads its answer within the limits; the body of a redirect we follow is not kept. */
export async function wholeAnswer(
  send: Send,
  hop: Hop,
  limits: UnpackLimits,
  time: Budget,
  follow: boolean,
): Promise<Answer | Failed | Refused> {
  const answer = await received(send, hop, limits.maxBytes, time, follow);
  if (answer.kind !== 'answer' || answer.body.length === 0) return answer;
  const coding = codingOf(answer.headers);
  if (coding === undefined) return answer;
  if (typeof coding !== 'string') return coding;
  const body = await unpacked(answer.body, coding, limits);
  return Buffer.isBuffer(body) ? (time.spent() ?? { ...answer, body }) : body;
}

function received(
  send: Send,
  hop: Hop,
  maxBytes: number,
  time: Budget,
  follow: boolean,
): Promise<Answer | Failed | Refused> {
  return new Promise((resolve) => {
    const body = gathered(maxBytes);
    let head = { status: 0, headers: {} as ResponseHeaders };
    let skipped: number | undefined;
    const answer = (): Answer => ({ kind: 'answer', ...head, body: body.bytes() });
    const stopWith = (outcome: Answer | Failed) => {
      flow.stop();
      resolve(outcome);
    };
    const tooLarge = () => stopWith(failed('too_large', `the answer is larger than ${maxBytes} bytes`));
    time.watch(stopWith);
    const flow = send(hop, {
      head: (status, headers) => {
        head = { status, headers };
        if (follow && isRedirect(status, headers)) skipped = 0;
        // What is announced too large is not read at all.
        else if (hop.method !== 'HEAD' && Number(headers['content-length'] ?? 0) > maxBytes) tooLarge();
      },
      data: (chunk) => {
        if (skipped === undefined) {
          if (!body.add(chunk)) tooLarge();
          return;
        }
        skipped += chunk.length;
        if (skipped > redirectBodyBytes) stopWith(answer());
      },
      end: () => resolve(answer()),
      fail: resolve,
    });
  });
}
