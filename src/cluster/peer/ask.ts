import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Json } from '../../core/json.js';
import type { PeerAnswer, PeerAskOptions } from '../../core/peers.js';
import { peerPath, type PeerLine } from './door.js';
import type { PeerAddress } from './directory.js';
import { isSignedLine, signatureHeader, signRequest, type PeerKeys } from './signature.js';

/** Largest line of an answer: a stored result of 64 MiB with its JSON escapes. */
const maxLineChars = 201_326_592;
const acceptMs = 5_000;

/** Sends one request to the peer door of a replica. */
export type AskPeer = (
  to: { readonly replica: string; readonly address: PeerAddress },
  verb: string,
  body: Json,
  options?: PeerAskOptions,
) => Promise<PeerAnswer>;

const failed = (message: string): PeerAnswer => ({ ok: false, why: 'failed', message });

/** Client of peer doors, with connections that are used again. */
export function peerClient(keys: PeerKeys, from: string): { readonly ask: AskPeer; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 0 });
  const ask: AskPeer = ({ replica, address }, verb, given, { signal, onEvent } = {}) =>
    new Promise((resolve) => {
      const body = Buffer.from(JSON.stringify({ verb, body: given }));
      const { header, nonce } = signRequest(keys, { from, to: `${replica} ${address.incarnation}`, body });
      const headers = {
        [signatureHeader]: header,
        'content-type': 'application/json',
        'content-length': body.length,
      };
      let sent: ClientRequest | undefined;
      const cancel = (): void => {
        settle({ ok: false, why: 'cancelled', message: 'The caller cancelled' });
        sent?.destroy();
      };
      const settle = (answer: PeerAnswer): void => {
        signal?.removeEventListener('abort', cancel);
        clearTimeout(timer);
        resolve(answer);
      };
      // A replica answers with its header at once; only what it runs may take long.
      const timer = setTimeout(() => {
        settle(failed(`replica ${replica} does not answer`));
        sent?.destroy();
      }, acceptMs);
      const onResponse = (res: IncomingMessage): void => {
        clearTimeout(timer);
        if (res.statusCode !== 200) {
          res.resume();
          return settle(failed(`replica ${replica} refused the request with ${String(res.statusCode)}`));
        }
        const read = signedLines(keys, nonce, (line) => {
          if ('event' in line) return onEvent?.(line.event);
          return settle('answer' in line ? { ok: true, body: line.answer } : failed(line.failed));
        });
        res.setEncoding('utf8');
        res.on('data', (text: string) => {
          if (read(text)) return;
          settle(failed(`replica ${replica} sent an answer that it did not sign`));
          sent?.destroy();
        });
        // After a complete answer this changes nothing.
        const end = (): void => settle(failed(`replica ${replica} ended while it answered`));
        res.on('end', end).on('close', end).on('error', end);
      };
      const send = (isFirst: boolean): void => {
        const req = (sent = request(new URL(peerPath, address.url), { method: 'POST', agent, headers }));
        req.on('response', onResponse);
        req.on('error', (error: NodeJS.ErrnoException) => {
          // A connection that was idle and just closed. Sent again with the same nonce, so that it cannot run twice.
          if (isFirst && req.reusedSocket && error.code === 'ECONNRESET' && signal?.aborted !== true) send(false);
          else settle(failed(`replica ${replica}: ${error.message}`));
        });
        req.end(body);
      };
      if (signal?.aborted === true) return cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      send(true);
    });
  return { ask, close: () => agent.destroy() };
}

/** Splits an answer into lines and checks each; false once one is too long or not signed. */
function signedLines(keys: PeerKeys, nonce: string, onLine: (line: PeerLine) => void): (text: string) => boolean {
  let parts: string[] = [];
  let chars = 0;
  let index = 0;
  return (text) => {
    let rest = text;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const whole = [...parts, rest.slice(0, end)].join('');
      [parts, chars, rest] = [[], 0, rest.slice(end + 1)];
      const [mac, line] = [whole.slice(0, whole.indexOf(' ')), whole.slice(whole.indexOf(' ') + 1)];
      if (!isSignedLine(keys, nonce, index, line, mac)) return false;
      index += 1;
      onLine(JSON.parse(line) as PeerLine); // authenticated, so written by the peer door
    }
    parts.push(rest);
    chars += rest.length;
    return chars <= maxLineChars;
  };
}
