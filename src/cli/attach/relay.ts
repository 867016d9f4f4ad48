import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { lineReader } from '../../wire/lines.js';
import { clientSession, idsOf, isResponse, parseMessages, type ClientSession, type RpcLike } from './client-session.js';

interface RelayOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Finds or starts a gate and connects to it; throws with a reason. */
  readonly open: () => Promise<Socket>;
  /** Message for the person who reads stderr. */
  readonly onNote: (text: string) => void;
}

/** Bound of one message of the assistant; the gate has the same one. */
const maxLineBytes = 8_388_608;
/** Results are bounded by the gate, and larger than what a client may send. */
const maxResultBytes = 268_435_456;

/** Relays one assistant to a gate, and to the next one when a gate ends; resolves when the assistant is gone. */
export async function relay({ input, output, open, onNote }: RelayOptions): Promise<void> {
  const session: ClientSession = clientSession();
  // Random, so that no id of the assistant can collide with a replayed request.
  const replayPrefix = `toolgate-${randomUUID()}-`;
  let link: Socket | undefined;
  // Counts the gates of this relay: 0 until the first one ends.
  let generation = 0;
  let replayCount = 0;
  let isOver = false;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const toClient = (line: string | Buffer): void => {
    output.write(line);
    // Backpressure: an assistant that reads slowly stops the gate instead of filling this process's memory.
    if (!output.write('\n')) link?.pause();
  };
  output.on('drain', () => link?.resume());
  output.on('error', () => finish());

  /** Lines of the gate: responses settle requests; questions get ids that no later gate can reuse. */
  const fromGate = (line: Buffer): void => {
    const settled = session.settle(line);
    if (settled !== undefined) {
      // The response to a replayed request belongs to this relay; the assistant never sent it.
      if (typeof settled === 'string' && settled.startsWith(replayPrefix)) return;
      return toClient(line);
    }
    const message = generation === 0 ? undefined : parseMessages(line)?.[0];
    // The id of a question is prefixed, so that a late answer cannot settle a question of the next gate with the same number.
    if (message?.method !== undefined && message.id !== undefined)
      return toClient(JSON.stringify({ ...message, id: `${generation}:${JSON.stringify(message.id)}` }));
    return toClient(line);
  };

  const attach = (socket: Socket): void => {
    const lines = lineReader(maxResultBytes);
    link = socket;
    socket.on('data', (piece: Buffer) => {
      for (const line of lines.push(piece)) if (Buffer.isBuffer(line)) fromGate(line);
    });
    socket.on('drain', () => input.resume());
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.once('close', () => {
      // An older link that closes late must not end the session of the one that replaced it.
      if (link !== socket) return;
      link = undefined;
      generation += 1;
      // Requests in flight are answered with an error: the assistant would wait for them forever.
      for (const error of session.abandon()) toClient(error);
      input.resume();
      if (isOver) finish();
    });
    socket.resume();
  };

  /** Restores the session of a legacy client at a new gate. */
  const replay = (socket: Socket): void => {
    const messages = session.restore(() => `${replayPrefix}${(replayCount += 1)}`);
    if (messages.length === 0) return;
    for (const text of messages) socket.write(`${text}\n`);
    // The new gate may have other tools, so the assistant is notified to list them again.
    for (const text of session.changes()) toClient(text);
  };

  let opening: Promise<Socket> | undefined;
  const connected = (): Promise<Socket> | Socket => {
    if (link !== undefined) return link;
    // One attempt at a time: all lines that arrive meanwhile wait for the same gate.
    opening ??= open()
      .then((socket) => {
        attach(socket);
        replay(socket);
        return socket;
      })
      .finally(() => (opening = undefined));
    return opening;
  };

  const forward = (line: Buffer, messages: readonly RpcLike[] | undefined, socket: Socket): void => {
    let out: Buffer | string = line;
    const [only] = messages ?? [];
    if (messages?.length === 1 && only !== undefined && isResponse(only) && generation > 0) {
      const own = ownAnswer(only, generation);
      if (own === undefined) return; // answers a question of a gate that has ended
      out = own;
    }
    for (const message of messages ?? []) session.sent(message, line);
    socket.write(out);
    // Backpressure in the other direction: no more is read from the assistant than the gate takes.
    if (!socket.write('\n')) input.pause();
  };

  const lines = lineReader(maxLineBytes);
  // A chain of promises keeps the order of messages although each may wait for a connection.
  let queue = Promise.resolve();
  const onLine = async (line: Buffer): Promise<void> => {
    const messages = parseMessages(line);
    try {
      const socket = connected();
      forward(line, messages, socket instanceof Promise ? await socket : socket);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      onNote(`no gate: ${reason}`);
      for (const id of idsOf(messages ?? [])) toClient(noGate(id, reason));
    }
  };
  input.on('data', (piece: Buffer) => {
    for (const line of lines.push(piece)) {
      // An overlong line is replaced by one that the gate rejects, so that the client gets a JSON-RPC error and not silence.
      const bytes = Buffer.isBuffer(line) ? line : Buffer.from(overlong);
      queue = queue.then(() => onLine(bytes));
    }
    // Lines wait for a gate that is being started; more of them only once it is there.
    if (link === undefined) {
      input.pause();
      void queue.then(() => input.resume());
    }
  });
  const onEnd = (): void => {
    void queue.then(() => {
      isOver = true;
      if (link === undefined) finish();
      // Half-close: the gate still sends the responses of calls in flight, then closes.
      else link.end();
    });
  };
  input.once('end', onEnd);
  input.once('error', onEnd);

  // Connected before the first line, so that a broken configuration is reported at the start.
  await connected();
  await finished;
  link?.destroy();
}

/** A line that the gate rejects as too long, in the words it has for it. */
const overlong = '"a message over the limit"';

const noGate = (id: unknown, reason: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: -32_000, message: `No gate could be started: ${reason}`, data: { code: 'gate_unavailable' } },
  });

/** The answer with the gate's own id; undefined if it belongs to an earlier gate. */
function ownAnswer(message: RpcLike, generation: number): string | undefined {
  const prefix = `${generation}:`;
  if (typeof message.id !== 'string' || !message.id.startsWith(prefix)) return undefined;
  try {
    return JSON.stringify({ ...message, id: JSON.parse(message.id.slice(prefix.length)) as unknown });
  } catch {
    return undefined;
  }
}
