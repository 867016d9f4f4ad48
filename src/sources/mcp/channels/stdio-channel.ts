import type { OpenProcess, Processes, ProcessExit, ProcessSpec, Refused } from '../../../processes/index.js';
import { encodeNotification } from '../../../wire/message.js';
import { pendingRequests } from '../../../wire/pending.js';
import { failedReply } from '../../../wire/reply.js';
import type { Reply } from '../../../wire/reply.js';
import type { Channel, ChannelEvents, ChannelEnd } from './channel.js';
import { lineDispatch } from './line-dispatch.js';
import { lineWriter } from './line-writer.js';
import { serverRequests } from './server-requests.js';
import { stderrRing } from './stderr-ring.js';

/** What a channel over pipes is built from. */
interface StdioChannelOptions {
  readonly processes: Pick<Processes, 'open'>;
  readonly spec: ProcessSpec;
  /** Name of the program in messages; never its path. */
  readonly displayName: string;
  /** Redacts secrets in stderr output. */
  readonly mask: (text: string) => string;
  readonly maxLineBytes?: number;
  /** Gets each line of stderr, redacted. */
  readonly onStderrLine?: (line: string) => void;
  /** Called for output lines that are not JSON-RPC. */
  readonly onInvalidLine?: (what: string) => void;
}

/** Bound of one line. */
const defaultMaxLineBytes = 16 * 1024 * 1024;
/** Characters of stderr that an error message shows. */
const tailChars = 600;
/** Time for a server to exit after stdin is closed, before it gets a signal. */
const closeWaitMs = 300;
/** Time between SIGTERM and SIGKILL. */
const graceMs = 2_000;
/** Time for a server that closed its stdout to exit. */
const exitWaitMs = 1_000;

/** Channel over the pipes of a sandboxed child process; its exit fails all pending requests at once. */
export async function stdioChannel(options: StdioChannelOptions, events: ChannelEvents): Promise<Channel | ChannelEnd> {
  const { processes, spec, displayName, mask, maxLineBytes = defaultMaxLineBytes, onInvalidLine } = options;
  const stderr = stderrRing(mask, { onLine: options.onStderrLine });
  let child: OpenProcess | undefined;
  let end: ChannelEnd | undefined;
  let closing: Promise<void> | undefined;
  let markExited = (): void => {};
  const exited = new Promise<void>((resolve) => (markExited = resolve));

  const writer = lineWriter(() => (end ? undefined : child));
  const pending = pendingRequests(writer.send);
  const answer = serverRequests({ request: events.request, send: writer.send, rejectExcess: true });

  const finish = (message: string): void => {
    if (end) return;
    // The last lines of stderr usually explain why a server ended.
    const tail = stderr.tail(tailChars);
    end = { message, ...(tail !== '' && { stderr: tail }) };
    pending.fail({ kind: 'connection', message });
    events.ended(end);
  };

  const opened = await processes.open(spec, {
    onStdout: lineDispatch({
      displayName,
      maxLineBytes,
      onInvalidLine,
      settle: pending.settle,
      onMessage(message) {
        if (message.kind === 'response') pending.settle(message);
        else if (message.kind === 'notification') events.notification(message.method, message.params, undefined);
        else void answer(message, undefined);
      },
    }),
    onStderr: (chunk) => stderr.push(chunk),
    onStdoutEnd() {
      // A server without stdout can answer nothing more. It usually exits at the same time, and the exit code is the better message.
      setTimeout(() => {
        if (end) return;
        finish(`${displayName} closed its output`);
        void child?.kill(graceMs);
      }, exitWaitMs).unref();
    },
    onExit(exit) {
      finish(`${displayName} ${exitReason(exit, spec)}`);
      markExited();
    },
  });
  if (opened.kind === 'refused') return { message: refusalMessage(displayName, opened, spec) };
  child = opened;

  const stop = async (): Promise<void> => {
    finish(`${displayName} was stopped`);
    // Closing stdin is the regular way to end a stdio server; signals come after it.
    opened.endInput();
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, closeWaitMs))]);
    await opened.kill(graceMs);
  };

  return {
    process: { pid: opened.pid, stderr: () => stderr.tail() },
    get end() {
      return end;
    },
    request({ method, params, timeoutMs, signal }): Promise<Reply> {
      if (end) return Promise.resolve(failedReply('connection', end.message, { unprocessed: true }));
      // Backpressure: a server that does not read must not fill the memory of the gateway.
      if (writer.isFull()) return Promise.resolve(failedReply('connection', `${displayName} does not read its input`));
      return pending.ask(method, params, { timeoutMs, signal });
    },
    notify: (method, params) => writer.send(encodeNotification(method, params)),
    close: () => (closing ??= stop()),
  };
}

/** Why a program was not started; paths stay in the log. */
const refusalMessage = (displayName: string, { reason, message }: Refused, spec: ProcessSpec): string =>
  reason === 'sandbox_unavailable' ? withRemedy(message, spec) : `${displayName} could not be started`;

/** A refusal of the sandbox with what the operator can do; the tier is never weakened without the configuration. */
const withRemedy = (message: string, { tier }: ProcessSpec): string =>
  `${message.replace(/\.$/, '')}. ${tier === 'bwrap' ? 'Install bubblewrap and allow user namespaces, or set' : 'Set'} sandbox.tier of this source to ${tier === 'bwrap' ? 'prlimit (resource limits only) or ' : ''}none (unsandboxed); toolgate doctor shows which tiers work`;

/** How a program ended, in words. */
function exitReason({ code, signal, lost }: ProcessExit, spec: ProcessSpec): string {
  if (lost?.reason === 'sandbox_unavailable') return `could not be started: ${withRemedy(lost.message, spec)}`;
  if (lost) return lost.reason === 'broker_lost' ? 'was lost with the process broker' : 'could not be started';
  return signal === null ? `ended with exit code ${code ?? 'unknown'}` : `was ended by ${signal}`;
}
