import type { OpenProcess, Processes, ProcessExit, ProcessSpec } from '../../../processes/index.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { encodeError, encodeNotification, encodeResult, decode } from '../../../wire/message.js';
import type { Message, RpcRequest } from '../../../wire/message.js';
import { headAndTail, lineReader } from '../../../wire/lines.js';
import type { OverlongLine } from '../../../wire/lines.js';
import { pendingRequests } from '../../../wire/pending.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import type { Channel, ChannelEvents, ChannelEnd } from './channel.js';
import { stderrRing } from './stderr-ring.js';
import { findResponseId } from './response-id.js';

interface StdioChannelOptions {
  readonly processes: Pick<Processes, 'open'>;
  readonly spec: ProcessSpec;
  /** Name of the program in messages; never its path. */
  readonly displayName: string;
  /** Redacts secrets in stderr output. */
  readonly mask: (text: string) => string;
  readonly maxLineBytes?: number;
  /** Called for output lines that are not JSON-RPC. */
  readonly onInvalidLine?: (what: string) => void;
}

const maxPendingWrites = 256;
const maxServerRequests = 64;
const tailChars = 600;
/** Time for a server to exit after stdin is closed, before it gets a signal. */
const closeWaitMs = 300;
const graceMs = 2_000;
/** Time for a server that closed its stdout to exit. */
const exitWaitMs = 1_000;

/** Channel over the pipes of a sandboxed child process; its exit fails all pending requests at once. */
export async function stdioChannel(options: StdioChannelOptions, events: ChannelEvents): Promise<Channel | ChannelEnd> {
  const {
    processes,
    spec,
    displayName: called,
    mask,
    maxLineBytes = 16 * 1024 * 1024,
    onInvalidLine: onNoise,
  } = options;
  const lines = lineReader(maxLineBytes);
  const stderr = stderrRing(mask);
  let child: OpenProcess | undefined;
  let end: ChannelEnd | undefined;
  let pendingWrites = 0;
  let openServerRequests = 0;
  let closing: Promise<void> | undefined;
  let markExited = (): void => {};
  const exited = new Promise<void>((resolve) => (markExited = resolve));

  let outputBuffer = '';
  const flush = (): void => {
    const text = outputBuffer;
    outputBuffer = '';
    if (!child || end || text === '') return;
    pendingWrites += 1;
    void child.write(text).then(() => (pendingWrites -= 1));
  };
  const send = (text: string): void => {
    // Coalesce the messages of one event-loop turn into one write: under load the system calls dominate.
    if (outputBuffer === '') setImmediate(flush);
    outputBuffer += `${text}\n`;
  };
  const pending = pendingRequests(send);

  const finish = (message: string): void => {
    if (end) return;
    const tail = stderr.tail(tailChars);
    end = { message, ...(tail !== '' && { stderr: tail }) };
    pending.fail({ kind: 'connection', message });
    events.ended(end);
  };

  const answer = async (request: RpcRequest): Promise<void> => {
    // Bounds memory: a server could send requests without end.
    if (openServerRequests >= maxServerRequests)
      return send(encodeError(request.id, rpcError(rpcCodes.internalError, 'Too many requests at once')));
    openServerRequests += 1;
    const reply = await events.request(request.method, request.params, undefined);
    openServerRequests -= 1;
    send(
      'result' in reply ? encodeResult(request.id, JSON.stringify(reply.result)) : encodeError(request.id, reply.error),
    );
  };
  const dispatch = (message: Message): void => {
    if (message.kind === 'response') pending.settle(message);
    else if (message.kind === 'notification') events.notification(message.method, message.params, undefined);
    else if (message.kind === 'request') void answer(message);
    else onNoise?.(message.error.message);
  };
  /** Fails the request that an unparsable response belongs to at once, instead of at its deadline. */
  const failUnreadable = (
    { head: begins, tail: ends }: OverlongLine,
    kind: 'oversized' | 'protocol',
    why: string,
  ): void => {
    onNoise?.(why);
    const id = findResponseId(begins, ends);
    if (id === undefined) return;
    pending.settle({ id, reply: failedReply(kind, `${called} sent a response that cannot be parsed: ${why}`) });
  };
  const dispatchLine = (line: Buffer | OverlongLine): void => {
    if (!Buffer.isBuffer(line))
      return failUnreadable(line, 'oversized', `a line over ${maxLineBytes} bytes was skipped`);
    const decoded = decode(line);
    if (decoded.kind === 'batch') for (const message of decoded.messages) dispatch(message);
    else if (decoded.kind === 'invalid') failUnreadable(headAndTail(line), 'protocol', decoded.error.message);
    else dispatch(decoded);
  };

  const opened = await processes.open(spec, {
    onStdout(chunk) {
      for (const line of lines.push(chunk)) dispatchLine(line);
    },
    onStderr: (chunk) => stderr.push(chunk),
    onStdoutEnd() {
      // A server without stdout can answer nothing more. It usually exits at the same time, and the exit code is the better message.
      setTimeout(() => {
        if (end) return;
        finish(`${called} closed its output`);
        void child?.kill(graceMs);
      }, exitWaitMs).unref();
    },
    onExit(exit) {
      finish(`${called} ${exitReason(exit, spec)}`);
      markExited();
    },
  });
  if (opened.kind === 'refused')
    return {
      message:
        opened.reason === 'sandbox_unavailable' ? withRemedy(opened.message, spec) : `${called} could not be started`,
    };
  child = opened;

  return {
    get end() {
      return end;
    },
    request({ method, params, timeoutMs, signal }): Promise<Reply> {
      if (end) return Promise.resolve(failedReply('connection', end.message, { unprocessed: true }));
      // Backpressure: a child that does not read its stdin must not grow our buffer.
      if (pendingWrites >= maxPendingWrites)
        return Promise.resolve(failedReply('connection', `${called} does not read its input`));
      return pending.ask(method, params, { timeoutMs, signal });
    },
    notify: (method, params) => send(encodeNotification(method, params)),
    close() {
      closing ??= (async () => {
        finish(`${called} was stopped`);
        opened.endInput();
        await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, closeWaitMs))]);
        await opened.kill(graceMs);
      })();
      return closing;
    },
  };
}

/** A refusal of the sandbox with what the operator can do; the tier is never weakened without the configuration. */
const withRemedy = (message: string, { tier }: ProcessSpec): string =>
  `${message.replace(/\.$/, '')}. ${tier === 'bwrap' ? 'Install bubblewrap and allow user namespaces, or set' : 'Set'} sandbox.tier of this source to ${tier === 'bwrap' ? 'prlimit (resource limits only) or ' : ''}none (unsandboxed); toolgate doctor shows which tiers work`;

function exitReason({ code, signal, lost }: ProcessExit, spec: ProcessSpec): string {
  if (lost?.reason === 'sandbox_unavailable') return `could not be started: ${withRemedy(lost.message, spec)}`;
  if (lost) return lost.reason === 'broker_lost' ? 'was lost with the process broker' : 'could not be started';
  return signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was ended by ${signal}`;
}
