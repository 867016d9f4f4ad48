import type { Readable, Writable } from 'node:stream';
import type { Gateway, Transport } from '../../core/gateway.js';
import type { Principal } from '../../core/principal.js';
import { rpcCodes, rpcError } from '../../wire/codes.js';
import { lineReader } from '../../wire/lines.js';
import type { OverlongLine } from '../../wire/lines.js';
import { clientLimits, decode } from '../../wire/message.js';
import type { Decoded } from '../../wire/message.js';
import { changeBroadcaster } from '../mcp/change-broadcaster.js';
import { mcpDispatcher } from '../mcp/dispatcher.js';
import type { McpOptions } from '../mcp/dispatcher.js';
import { stdioConnection } from './connection.js';

/** Options of the stdio transport; streams default to those of the process. */
interface StdioOptions extends McpOptions {
  readonly principal: Principal;
  readonly profile?: string;
  /** Conversation of this client, where several clients share the gateway. */
  readonly session?: string;
  /** Client for log and audit. */
  readonly peer?: string;
  readonly input?: Readable;
  readonly output?: Writable;
  readonly maxLineBytes?: number;
  /** Called when the client closed its end and all requests are answered. */
  readonly onEnd?: () => void;
}

/** Backpressure: input is paused while more than this is unsent. */
const maxUnreadBytes = 4_194_304;
/** Flushes early when this much is waiting, to bound memory. */
const maxBatchedChars = 65_536;

/** MCP over stdin and stdout; requests run concurrently, and a client that does not read is not read from. */
export function stdioTransport(gateway: Gateway, options: StdioOptions): Transport {
  const {
    input = process.stdin,
    output = process.stdout,
    maxLineBytes = 8_388_608,
    principal,
    profile,
    session,
    peer,
    onEnd,
  } = options;
  const dispatcher = mcpDispatcher(gateway, options);
  const broadcaster = changeBroadcaster(gateway);
  const lines = lineReader(maxLineBytes);
  let ended = false;

  // Coalesce responses of one event-loop turn into one write: a system call costs as much as the rest of a response.
  let outgoing = '';
  const flush = (): void => {
    const text = outgoing;
    outgoing = '';
    if (text === '' || ended || output.destroyed) return;
    if (!output.write(text) && output.writableLength > maxUnreadBytes) input.pause();
  };
  const write = (text: string): void => {
    if (outgoing === '') setImmediate(flush);
    outgoing += `${text}\n`;
    if (outgoing.length > maxBatchedChars) flush();
  };
  const connection = stdioConnection(dispatcher, broadcaster, {
    view: { principal, ...(profile !== undefined && { profile }), ...(peer !== undefined && { peer }) },
    session,
    write,
    isBackedUp: () => output.writableLength > maxUnreadBytes,
  });

  const handleLine = (line: Buffer | OverlongLine): void => {
    const tooLong = rpcError(rpcCodes.invalidRequest, `A message may have at most ${maxLineBytes} bytes`);
    const decoded: Decoded = Buffer.isBuffer(line)
      ? decode(line, clientLimits)
      : { kind: 'invalid', id: null, error: tooLong };
    if (decoded.kind === 'invalid') options.onUnreadable?.({ principal, via: 'stdio', message: decoded.error.message });
    connection.receive(decoded);
  };
  const onData = (piece: Buffer): void => {
    for (const line of lines.push(piece)) handleLine(line);
  };
  const onDrain = (): void => void input.resume();
  /** End of input: answer what was read, then stop. */
  const finish = async (): Promise<void> => {
    const rest = lines.end();
    if (rest) handleLine(rest);
    await connection.idle();
    await close();
    onEnd?.();
  };
  const onInputEnd = (): void => void finish();
  // Without an error listener EPIPE would crash the process.
  const onPipeError = (): void => {
    connection.close();
    onInputEnd();
  };

  const close = async (): Promise<void> => {
    if (ended) return;
    connection.close();
    broadcaster.close();
    await dispatcher.close();
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
      input.on('error', onPipeError);
      output.on('drain', onDrain);
      output.on('error', onPipeError);
    },
    async stop(signal) {
      input.pause();
      await Promise.race([connection.idle(), untilAborted(signal)]);
      await close();
    },
  };
}

/** Resolves when the signal aborts. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
