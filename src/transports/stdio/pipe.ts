import type { View } from '../../core/gateway.js';
import { codes, rpcError } from '../../wire/codes.js';
import { encodeError } from '../../wire/message.js';
import type { Decoded, Message, RpcNotification, RpcRequest } from '../../wire/message.js';
import { claimedVersion } from '../../wire/meta.js';
import { answerAll } from '../mcp/batch.js';
import type { Reply } from '../mcp/caller.js';
import type { Changes } from '../mcp/changes.js';
import { conversation } from '../mcp/conversation.js';
import { replyText } from '../mcp/http-reply.js';
import { inFlightRequests } from '../mcp/in-flight.js';
import { listens } from '../mcp/listen.js';
import type { Protocol } from '../mcp/methods.js';
import { modernEra } from '../mcp/modern.js';
import type { Outlet } from '../mcp/outlet.js';

const maxInFlight = 1_024;

export interface PipeSetting {
  readonly view: View;
  readonly write: (text: string) => void;
  /** Whether the client is so far behind that what it can do without is dropped. */
  readonly isCrowded: () => boolean;
}

/** One client at the other end of a pipe, of either era. */
export interface Pipe {
  receive(decoded: Decoded): void;
  /** Resolves when nothing is being answered any more. */
  idle(): Promise<void>;
  close(): void;
}

export function pipe(protocol: Protocol, changes: Changes, { view, write, isCrowded }: PipeSetting): Pipe {
  const subscriptions = listens(protocol, changes);
  const modern = modernEra(protocol, subscriptions);
  const legacy = conversation(protocol, changes, { view, via: 'stdio', push: write });
  const inFlight = inFlightRequests(maxInFlight);
  const waiting = new Set<() => void>();
  let working = 0;

  const outlet: Outlet = {
    send(text) {
      if (!isCrowded()) write(text);
    },
  };

  const finish = (): void => {
    working -= 1;
    if (working > 0) return;
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const follow = (work: Promise<void>): void => {
    working += 1;
    work.then(finish, finish);
  };

  const serveModern = async (request: RpcRequest): Promise<void> => {
    const { id } = request;
    const say = (reply: Reply): void => write(replyText(id, reply));
    const refused = inFlight.refusal(id);
    if (refused) return say({ error: refused });
    const envelope = modern.admit(request, view);
    if ('code' in envelope) return say({ error: envelope });
    const signal = inFlight.begin(id);
    const reply = await modern.answer(request, envelope, { view, via: 'stdio', signal, outlet });
    inFlight.end(id);
    // A cancelled request is not answered, except a subscription, whose end is told.
    return signal.aborted && request.method !== 'subscriptions/listen' ? undefined : say(reply);
  };
  const serveLegacy = async (request: RpcRequest): Promise<void> => {
    const reply = await legacy.answer(request, outlet);
    if (reply) write(replyText(request.id, reply));
  };
  const serveBatch = async (messages: readonly Message[]): Promise<void> => {
    if (!legacy.features?.batches)
      return write(encodeError(null, rpcError(codes.invalidRequest, 'This protocol version has no batches')));
    const answers = await answerAll(legacy, messages, (text) => outlet.send(text));
    return answers.length > 0 ? write(`[${answers.join(',')}]`) : undefined;
  };
  const notified = (notification: RpcNotification): void => {
    if (notification.method === 'notifications/cancelled') inFlight.cancel(notification.params['requestId']);
    legacy.notified(notification);
  };

  /** Claims in the body make a request modern; so does asking for the modern handshake without ever having had the other. */
  const isModern = ({ method, params }: RpcRequest): boolean =>
    claimedVersion(params) !== undefined || (method === 'server/discover' && legacy.features === undefined);

  return {
    receive(decoded) {
      if (decoded.kind === 'request') follow(isModern(decoded) ? serveModern(decoded) : serveLegacy(decoded));
      else if (decoded.kind === 'notification') notified(decoded);
      else if (decoded.kind === 'response') legacy.settle(decoded);
      else if (decoded.kind === 'batch') follow(serveBatch(decoded.messages));
      else write(encodeError(decoded.id ?? (legacy.features?.omitsUnknownId ? undefined : null), decoded.error));
    },
    idle() {
      // Subscriptions never end by themselves: a pipe with nothing else to do is idle.
      subscriptions.close();
      return working === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve));
    },
    close() {
      subscriptions.close();
      inFlight.cancelAll();
      legacy.close();
    },
  };
}
