import { createHmac, randomUUID } from 'node:crypto';
import type { JsonObject } from '../../core/json.js';
import { pause } from '../../lib/pause.js';
import type { Egress } from '../../net/egress/egress-types.js';

/** What a delivery is about. */
type WebhookEvent = 'approval.requested' | 'approval.decided';

/** Delivers approval requests and decisions to one URL, in their order. */
export interface ApprovalWebhook {
  send(event: WebhookEvent, ticket: JsonObject): void;
  /** Ends retries and closes the connections. */
  close(): Promise<void>;
}

/** Where deliveries go and how often they are tried. */
interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly attempts: number;
  readonly egress: Pick<Egress, 'request' | 'close'>;
  readonly onDelivered?: (event: WebhookEvent, ticket: string) => void;
  readonly onUndelivered?: (event: WebhookEvent, ticket: string, problem: string) => void;
  readonly now?: () => number;
  readonly firstDelayMs?: number;
}

/** Deliveries that wait; more are reported as undelivered instead of filling memory. */
const maxQueued = 1_000;
const timeoutMs = 10_000;
const maxDelayMs = 60_000;
/** Responses carry nothing that is needed. */
const maxReplyBytes = 65_536;

/**
 * Signature as in https://www.standardwebhooks.com: HMAC-SHA256 over id, time and body. The time is signed, so that a receiver can
 * reject replays; a secret that starts with `whsec_` is Base64.
 */
export function signWebhook(secret: string, id: string, seconds: number, body: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/** Webhook with retries and back-off. A decision never overtakes its request: deliveries wait for each other. */
export function approvalWebhook(options: WebhookOptions): ApprovalWebhook {
  const { url, secret, attempts, egress, now = Date.now, firstDelayMs = 1_000 } = options;
  const stopped = new AbortController();
  let queued = 0;
  let last: Promise<void> = Promise.resolve();

  /** Why an attempt failed; undefined if it succeeded. */
  async function attempt(
    id: string,
    body: string,
  ): Promise<{ readonly problem: string; readonly isFinal: boolean } | undefined> {
    const seconds = Math.floor(now() / 1000);
    const reply = await egress.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signWebhook(secret, id, seconds, body),
      },
      body,
      // A redirect would send arguments of calls to another address than the configured one.
      redirect: 'manual',
      timeoutMs,
      maxResponseBytes: maxReplyBytes,
      signal: stopped.signal,
    });
    // Refused by the network policy: a retry would be refused again.
    if (reply.kind === 'refused') return { problem: reply.message, isFinal: true };
    if (reply.kind === 'failed') return { problem: reply.message, isFinal: reply.reason === 'cancelled' };
    if (reply.status >= 200 && reply.status < 300) return undefined;
    // Statuses that mean "later": server errors, request timeout and too many requests.
    const mayRetry = reply.status >= 500 || reply.status === 408 || reply.status === 429;
    return { problem: `HTTP status ${reply.status}`, isFinal: !mayRetry };
  }

  async function deliver(event: WebhookEvent, ticket: JsonObject): Promise<void> {
    const about = String(ticket['id']);
    // The same id for every attempt, so that a receiver recognises a repeated delivery.
    const id = `msg_${randomUUID()}`;
    const body = JSON.stringify({ type: event, timestamp: new Date(now()).toISOString(), data: ticket });
    for (let round = 1; ; round += 1) {
      if (stopped.signal.aborted) return;
      const failed = await attempt(id, body);
      if (failed === undefined) return options.onDelivered?.(event, about);
      if (failed.isFinal || round >= attempts) return options.onUndelivered?.(event, about, failed.problem);
      const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (round - 1));
      // Jitter, so that many gateways do not retry in the same instant (thundering herd).
      await pause(delay * (0.75 + Math.random() / 2), stopped.signal);
    }
  }

  return {
    send(event, ticket) {
      if (queued >= maxQueued) {
        options.onUndelivered?.(event, String(ticket['id']), `${maxQueued} deliveries are waiting`);
        return;
      }
      queued += 1;
      // A chain of promises keeps the order; a failed delivery does not stop the next.
      last = last
        .then(() => deliver(event, ticket))
        .catch((error: unknown) => options.onUndelivered?.(event, String(ticket['id']), String(error)))
        .finally(() => (queued -= 1));
    },
    async close() {
      stopped.abort();
      // Waits for the delivery in progress, which the abort has just ended.
      await last;
      await egress.close();
    },
  };
}
