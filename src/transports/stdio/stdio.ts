import type { Readable, Writable } from 'node:stream';
import type { Gateway, Transport } from '../../core/gateway.js';
import type { Principal } from '../../core/principal.js';
import { codes, rpcError } from '../../wire/codes.js';
import { lineReader } from '../../wire/lines.js';
import type { Overlong } from '../../wire/lines.js';
import { decode, encodeError, messageLimits } from '../../wire/message.js';
import { changes } from '../mcp/changes.js';
import { protocol } from '../mcp/methods.js';
import type { ProtocolOptions } from '../mcp/methods.js';
import { pipe } from './pipe.js';

export interface StdioOptions extends ProtocolOptions {
  readonly principal: Principal;
  readonly profile?: string;
  readonly input?: Readable;
  readonly output?: Writable;
  readonly maxLineBytes?: number;
  /** Told when the client closed its end and everything was answered. */
  readonly onEnd?: () => void;
}

/** What the client may leave unread before we stop reading from it. */
const maxUnreadBytes = 4_194_304;
const maxTogether = 65_536;

/** MCP over a pair of pipes, both eras; requests run side by side, and a client that does not read is not read from. */
export function stdioTransport(gateway: Gateway, options: StdioOptions): Transport {
  const {
    input = process.stdin,
    output = process.stdout,
    maxLineBytes = 8_388_608,
    principal,
    profile,
    onEnd,
  } = options;
  const door = protocol(gateway, options);
  const hub = changes(gateway);
  const lines = lineReader(maxLineBytes);
  let ended = false;

  // Answers that are ready in one turn of the loop leave in one write: a system call costs as much as the rest of an answer.
  let ready = '';
  const flush = (): void => {
    const text = ready;
    ready = '';
    if (text === '' || ended || output.destroyed) return;
    if (!output.write(text) && output.writableLength > maxUnreadBytes) input.pause();
  };
  const write = (text: string): void => {
    if (ready === '') setImmediate(flush);
    ready += `${text}\n`;
    if (ready.length > maxTogether) flush();
  };
  const connection = pipe(door, hub, {
    view: { principal, ...(profile !== undefined && { profile }) },
    write,
    isCrowded: () => output.writableLength > maxUnreadBytes,
  });

  const take = (line: Buffer | Overlong): void => {
    if (!Buffer.isBuffer(line))
      write(encodeError(null, rpcError(codes.invalidRequest, `A message may have at most ${maxLineBytes} bytes`)));
    else connection.receive(decode(line, messageLimits));
  };
  const onData = (piece: Buffer): void => {
    for (const line of lines.push(piece)) take(line);
  };
  const onDrain = (): void => void input.resume();
  const finish = async (): Promise<void> => {
    const rest = lines.end();
    if (rest) take(rest);
    await connection.idle();
    await shut();
    onEnd?.();
  };
  const onInputEnd = (): void => void finish();
  // A client that is gone cannot be told anything; without a listener the broken pipe would end the process by a throw.
  const onBroken = (): void => {
    connection.close();
    onInputEnd();
  };

  const shut = async (): Promise<void> => {
    if (ended) return;
    connection.close();
    hub.close();
    await door.close();
    flush();
    await new Promise<void>((resolve) => {
      if (output.destroyed || output.writableLength === 0) resolve();
      else output.write('', () => resolve());
    });
    ended = true;
    input.off('data', onData);
    input.off('end', onInputEnd);
    output.off('drain', onDrain);
    input.pause();
  };

  return {
    name: 'stdio',
    async start() {
      input.on('data', onData);
      input.once('end', onInputEnd);
      input.on('error', onBroken);
      output.on('drain', onDrain);
      output.on('error', onBroken);
    },
    async stop(signal) {
      input.pause();
      await Promise.race([connection.idle(), aborted(signal)]);
      await shut();
    },
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
