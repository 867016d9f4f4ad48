import type { View } from '../../core/gateway.js';
import { rpcCodes, rpcError } from '../../wire/codes.js';
import { encodeError } from '../../wire/message.js';
import type { Decoded, Message, RpcNotification, RpcRequest } from '../../wire/message.js';
import { claimedVersion } from '../../wire/meta.js';
import { answerBatch } from '../mcp/legacy/batch.js';
import type { Reply } from '../mcp/request-context.js';
import type { ChangeBroadcaster } from '../mcp/change-broadcaster.js';
import { legacySession } from '../mcp/legacy/legacy-session.js';
import { replyText } from '../mcp/http/reply.js';
import { inFlightRequests } from '../mcp/in-flight.js';
import { subscriptionTable } from '../mcp/subscriptions.js';
import type { McpDispatcher } from '../mcp/dispatcher.js';
import { modernProtocol } from '../mcp/modern.js';
import type { MessageSink } from '../mcp/message-sink.js';
import { pacedSink } from './progress-gap.js';

/** Concurrent modern requests; further ones are rejected. */
const maxInFlight = 1_024;

interface StdioConnectionOptions {
  readonly view: View;
  readonly session?: string | undefined;
  readonly write: (text: string) => void;
  /** Whether the client reads so slowly that notifications are dropped (backpressure). */
  readonly isBackedUp: () => boolean;
}

/** One stdio client, modern or legacy. */
interface StdioConnection {
  receive(decoded: Decoded): void;
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
  close(): void;
}

/** Routes messages of one stdio client to the modern or the legacy protocol. */
export function stdioConnection(
  dispatcher: McpDispatcher,
  broadcaster: ChangeBroadcaster,
  { view, session, write, isBackedUp }: StdioConnectionOptions,
): StdioConnection {
  const subscriptions = subscriptionTable(dispatcher, broadcaster);
  const modern = modernProtocol(dispatcher, subscriptions);
  const legacy = legacySession(dispatcher, broadcaster, {
    view,
    via: 'stdio',
    push: write,
    ...(session !== undefined && { sessionId: session }),
  });
  const inFlight = inFlightRequests(maxInFlight);
  const idleWaiters = new Set<() => void>();
  let activeCount = 0;

  /** Drops notifications for a slow client; responses are always written. */
  const sink: MessageSink = {
    send(text) {
      if (!isBackedUp()) write(text);
    },
  };

  const finish = (): void => {
    activeCount -= 1;
    if (activeCount > 0) return;
    for (const wake of idleWaiters) wake();
    idleWaiters.clear();
  };
  /** Counts running requests, so that `idle` can wait for them. */
  const track = (work: Promise<void>): void => {
    activeCount += 1;
    work.then(finish, finish);
  };

  const serveModern = async (request: RpcRequest): Promise<void> => {
    const { id } = request;
    const send = (reply: Reply): void => write(replyText(id, reply));
    const problem = inFlight.check(id);
    if (problem) return send({ error: problem });
    const envelope = modern.validate(request, view);
    if ('code' in envelope) return send({ error: envelope });
    const signal = inFlight.begin(id);
    const paced = pacedSink(sink, request);
    const reply = await modern.handle(request, envelope, { view, via: 'stdio', signal, sink: paced.sink, session });
    inFlight.end(id);
    const gap = paced.gap();
    if (gap) await gap;
    // Cancelled requests get no response, except subscriptions, whose end is confirmed.
    return signal.aborted && request.method !== 'subscriptions/listen' ? undefined : send(reply);
  };
  const serveLegacy = async (request: RpcRequest): Promise<void> => {
    const paced = pacedSink(sink, request);
    const reply = await legacy.handleRequest(request, paced.sink);
    const gap = paced.gap();
    if (gap) await gap;
    if (reply) write(replyText(request.id, reply));
  };
  const serveBatch = async (messages: readonly Message[]): Promise<void> => {
    if (!legacy.features?.batches)
      return write(encodeError(null, rpcError(rpcCodes.invalidRequest, 'This protocol version has no batches')));
    const answers = await answerBatch(legacy, messages, (text) => sink.send(text));
    return answers.length > 0 ? write(`[${answers.join(',')}]`) : undefined;
  };
  const handleNotification = (notification: RpcNotification): void => {
    if (notification.method === 'notifications/cancelled') inFlight.cancel(notification.params['requestId']);
    legacy.handleNotification(notification);
  };

  /** A request is modern if its body claims a version, or if it is `server/discover` before any `initialize`. */
  const isModern = ({ method, params }: RpcRequest): boolean =>
    claimedVersion(params) !== undefined || (method === 'server/discover' && legacy.features === undefined);

  return {
    receive(decoded) {
      if (decoded.kind === 'request') track(isModern(decoded) ? serveModern(decoded) : serveLegacy(decoded));
      else if (decoded.kind === 'notification') handleNotification(decoded);
      else if (decoded.kind === 'response') legacy.handleResponse(decoded);
      else if (decoded.kind === 'batch') track(serveBatch(decoded.messages));
      else write(encodeError(decoded.id ?? (legacy.features?.omitsUnknownId ? undefined : null), decoded.error));
    },
    idle() {
      // Subscriptions never end by themselves: a connection with nothing else in progress is idle.
      subscriptions.close();
      return activeCount === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.add(resolve));
    },
    close() {
      subscriptions.close();
      inFlight.cancelAll();
      legacy.close();
    },
  };
}
