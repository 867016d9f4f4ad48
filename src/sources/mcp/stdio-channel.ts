import type { OpenProcess, Processes, ProcessExit, ProcessSpec } from '../../processes/index.js';
import { codes, rpcError } from '../../wire/codes.js';
import { encodeError, encodeNotification, encodeResult, decode } from '../../wire/message.js';
import type { Message, RpcRequest } from '../../wire/message.js';
import { edgesOf, lineReader } from '../../wire/lines.js';
import type { Overlong } from '../../wire/lines.js';
import { pendingRequests } from '../../wire/pending.js';
import type { RpcReply } from '../../wire/pending.js';
import type { Channel, ChannelEvents, Ended } from './channel.js';
import { stderrRing } from './stderr-ring.js';
import { answeredId } from './unreadable.js';

export interface StdioOptions {
  readonly processes: Pick<Processes, 'open'>;
  readonly spec: ProcessSpec;
  /** How the program is called in words for callers; never its path. */
  readonly called: string;
  /** Hides secrets in what the child wrote to stderr. */
  readonly mask: (text: string) => string;
  readonly maxLineBytes?: number;
  /** Hears of lines that are no JSON-RPC. */
  readonly onNoise?: (what: string) => void;
}

const maxUntaken = 256;
const maxAsked = 64;
const tailChars = 600;
/** A server that was asked to end by a closed stdin gets this long before it is told by a signal. */
const politeMs = 300;
const graceMs = 2_000;

/** A channel over the pipes of a child that lives in its tier; its end fails everything that waits, at once. */
export async function stdioChannel(options: StdioOptions, events: ChannelEvents): Promise<Channel | Ended> {
  const { processes, spec, called, mask, maxLineBytes = 16 * 1024 * 1024, onNoise } = options;
  const lines = lineReader(maxLineBytes);
  const stderr = stderrRing(mask);
  let child: OpenProcess | undefined;
  let end: Ended | undefined;
  let untaken = 0;
  let asked = 0;
  let closing: Promise<void> | undefined;
  let tellGone = (): void => {};
  const gone = new Promise<void>((resolve) => (tellGone = resolve));

  let waiting = '';
  const flush = (): void => {
    const text = waiting;
    waiting = '';
    if (!child || end || text === '') return;
    untaken += 1;
    void child.write(text).then(() => (untaken -= 1));
  };
  const send = (text: string): void => {
    // What is said in one turn goes in one write: under load the system calls cost more than all the rest.
    if (waiting === '') setImmediate(flush);
    waiting += `${text}\n`;
  };
  const pending = pendingRequests(send);

  const finish = (message: string): void => {
    if (end) return;
    const tail = stderr.tail(tailChars);
    end = { message, ...(tail !== '' && { stderr: tail }) };
    pending.fail(rpcError(codes.internalError, message));
    events.ended(end);
  };

  const answer = async (request: RpcRequest): Promise<void> => {
    // A server that asks without end would have us hold its questions.
    if (asked >= maxAsked)
      return send(encodeError(request.id, rpcError(codes.internalError, 'Too many questions at once')));
    asked += 1;
    const reply = await events.request(request.method, request.params, undefined);
    asked -= 1;
    send(
      'result' in reply ? encodeResult(request.id, JSON.stringify(reply.result)) : encodeError(request.id, reply.error),
    );
  };
  const take = (message: Message): void => {
    if (message.kind === 'response') pending.settle(message);
    else if (message.kind === 'notification') events.notification(message.method, message.params, undefined);
    else if (message.kind === 'request') void answer(message);
    else onNoise?.(message.error.message);
  };
  /** What cannot be read may still be told apart: whoever waits for it hears so at once instead of at its deadline. */
  const unreadable = ({ begins, ends }: Overlong, why: string): void => {
    onNoise?.(why);
    const id = answeredId(begins, ends);
    if (id === undefined) return;
    const error = rpcError(codes.internalError, `${called} gave an answer that cannot be read: ${why}`);
    pending.settle({ kind: 'response', id, reply: { error } });
  };
  const takeLine = (line: Buffer | Overlong): void => {
    if (!Buffer.isBuffer(line)) return unreadable(line, `a line over ${maxLineBytes} bytes was skipped`);
    const decoded = decode(line);
    if (decoded.kind === 'batch') for (const message of decoded.messages) take(message);
    else if (decoded.kind === 'invalid') unreadable(edgesOf(line), decoded.error.message);
    else take(decoded);
  };

  const opened = await processes.open(spec, {
    onStdout(chunk) {
      for (const line of lines.push(chunk)) takeLine(line);
    },
    onStderr: (chunk) => stderr.push(chunk),
    onExit(exit) {
      finish(`${called} ${howEnded(exit)}`);
      tellGone();
    },
  });
  if (opened.kind === 'refused')
    return { message: opened.reason === 'sandbox_unavailable' ? opened.message : `${called} could not be started` };
  child = opened;

  return {
    get end() {
      return end;
    },
    request({ method, params, timeoutMs, signal }): Promise<RpcReply> {
      if (end) return Promise.resolve({ error: rpcError(codes.internalError, end.message) });
      // A child that reads nothing must not have us keep everything that is said to it.
      if (untaken >= maxUntaken)
        return Promise.resolve({ error: rpcError(codes.internalError, `${called} reads nothing`) });
      return pending.ask(method, params, { timeoutMs, signal });
    },
    notify: (method, params) => send(encodeNotification(method, params)),
    close() {
      closing ??= (async () => {
        finish(`${called} was stopped`);
        opened.endInput();
        await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, politeMs))]);
        await opened.kill(graceMs);
      })();
      return closing;
    },
  };
}

function howEnded({ code, signal, lost }: ProcessExit): string {
  if (lost) return lost.reason === 'broker_lost' ? 'was lost with the process broker' : 'could not be started';
  return signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was ended by ${signal}`;
}
