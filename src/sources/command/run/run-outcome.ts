import { deadlinePassed, type Call } from '../../../core/call.js';
import type { CommandOutput } from '../../../wire/command-output.js';
import type { ErrorCode } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json.js';
import { done, failed, refuse, type Outcome } from '../../../core/outcome.js';
import type { Finished, Refused } from '../../../processes/process-spec.js';
import { programName, type CommandDefinition } from '../definition.js';

/** Settings that determine the outcome of a finished program. */
interface RunOutcomeSettings {
  readonly definition: CommandDefinition;
  readonly network: 'host' | 'none';
  readonly onCap: 'kill' | 'drain';
}

/** Output fields of a program that printed nothing. */
export const emptyOutput = {
  stdout: '',
  stderr: '',
  truncated_stdout: false,
  truncated_stderr: false,
  timed_out: false,
} as const;

/** Outcome of a program that could not be started; launcher messages stay in the log because they contain host paths. */
export function toStartFailure(definition: CommandDefinition, { reason }: Refused): Outcome {
  const command = programName(definition);
  const missing = { ...emptyOutput, returncode: 127, metadata: {} };
  if (reason === 'not_found') return failed(commandMissingError(command), { data: missing });
  if (reason === 'sandbox_unavailable')
    return refuse('sandbox_unavailable', `${command} was not started: its sandbox could not be set up`);
  return refuse(
    'crashed',
    reason === 'broker_lost' ? `${command} was lost: the process broker exited` : `${command} could not be started`,
  );
}

/** Error of a tool whose program is not installed. */
export const commandMissingError = (command: string) =>
  ({
    code: 'command_missing',
    message: `${command} is not installed`,
    hint: `Install ${command} or add to PATH.`,
  }) as const;

/** Outcome of a finished program: its output, and the error that its exit code, signal or limits map to. */
export function toRunOutcome(
  settings: RunOutcomeSettings,
  call: Call,
  result: Finished,
  timeoutMs: number,
  facts: JsonObject,
): Outcome {
  const { definition, onCap } = settings;
  const command = programName(definition);
  // The deadline guard cancels through the same signal as a caller; only the reason distinguishes them.
  const timedOut = result.timedOut || (result.cancelled && call.signal.reason === deadlinePassed);
  // 124 is the exit code of timeout(1); a signal is reported as a shell would, with 128 + n.
  const returncode = timedOut ? 124 : (result.code ?? 128 + signalNumber(result.signal));
  const stdout = decodeOutput(result.stdout, result.truncatedStdout);
  const stderrText = decodeOutput(result.stderr, result.truncatedStderr);
  const stderr = timedOut
    ? `${stderrText}${stderrText === '' || stderrText.endsWith('\n') ? '' : '\n'}Process timed out after ${timeoutMs / 1000}s`
    : stderrText;
  const metadata = {
    ...facts,
    sandbox: { tier: result.tier, network: settings.network },
    ...((result.truncatedStdout || result.truncatedStderr) && { original_size: result.producedBytes }),
    ...parseOutput(definition, call, { stdout, stderr, returncode }, result.truncatedStdout),
  };
  const data: CommandOutput = {
    stdout,
    stderr,
    returncode,
    truncated_stdout: result.truncatedStdout,
    truncated_stderr: result.truncatedStderr,
    timed_out: timedOut,
    metadata,
  };
  const failWith = (code: ErrorCode, message: string, hint?: string): Outcome =>
    failed({ code, message, ...(hint !== undefined && { hint }) }, { data, content: [] });

  // In this order: a timeout also looks cancelled and killed, and the more specific reason is the useful one.
  if (timedOut) return failWith('timeout', `${command} timed out after ${timeoutMs / 1000} s`);
  if (result.cancelled) return failWith('cancelled', 'The caller cancelled');
  // Truncated output with exit code 0 is a success: with `drain` the program ran to its end.
  if (returncode === 0) return done([], data);
  if (onCap === 'kill' && (result.truncatedStdout || result.truncatedStderr))
    return failWith(
      'output_limit',
      `${command} exceeded its output limit and was stopped; the output up to the limit is returned`,
    );
  // Before the signal: limits end a program by signals, too.
  if (isResourceExhausted(result, stderr))
    return failWith('resource_exhausted', `${command} exceeded its memory, CPU time or file size limit`);
  const signal = findSignal(result);
  if (signal !== undefined) return failWith('crashed', `${command} was killed by ${signal}`);
  // Texts of libc; every program uses them for the same errno.
  if (/operation not permitted|permission denied/i.test(stderr))
    return failWith('permission_denied', `${command} was not permitted to do this`);
  const isOffline = /network is unreachable|no route to host|name resolution|no servers could be reached/i.test(
    `${stderr}\n${stdout.slice(0, 4096)}`,
  );
  return failWith(
    'execution_failed',
    `${command} exited with code ${returncode}`,
    isOffline ? 'Check network connectivity and firewall rules.' : undefined,
  );
}

/** What the parser of the tool and the JSON parser make of the output. */
function parseOutput(
  { parser }: CommandDefinition,
  call: Call,
  printed: { stdout: string; stderr: string; returncode: number },
  cut: boolean,
): JsonObject {
  const result = parser?.read({ ...printed, args: call.args }) ?? {};
  // Cut JSON does not parse, and parsing what a failed program printed would only mislead.
  const json = printed.returncode === 0 && !cut ? parseJsonOutput(printed.stdout) : undefined;
  return {
    ...(json !== undefined && { json }),
    ...(result.parsed !== undefined && { parsed: result.parsed }),
    ...(result.xml !== undefined && { xml: result.xml }),
    ...(result.summary !== undefined && { summary: result.summary }),
  };
}

/** JSON on stdout, recognised by its first character; plain numbers and words stay text. */
function parseJsonOutput(stdout: string): JsonObject[string] {
  if (!/^\s*[[{]/.test(stdout)) return undefined;
  try {
    return JSON.parse(stdout) as JsonObject[string]; // JSON.parse returns JSON
  } catch {
    return undefined;
  }
}

// With `stream`, a code point split by truncation is dropped instead of decoded as U+FFFD.
const decodeOutput = (bytes: Buffer, cut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });

/** Signal numbers of Linux, for the exit code and for bwrap, which reports signals as codes. */
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
};
const signalNumber = (signal: string | null): number => signalNumbers[signal ?? ''] ?? 0;

/** The signal that ended the program, also where the sandbox hides it. */
function findSignal({ code, signal, tier }: Finished): string | undefined {
  if (signal !== null) return signal;
  // Inside the PID namespace bwrap reports a fatal signal as exit code 128 + n.
  if (tier !== 'bwrap' || code === null) return undefined;
  return Object.keys(signalNumbers).find((name) => signalNumbers[name] === code - 128);
}

/** Whether a resource limit ended the program; RLIMIT_AS shows only in its messages. */
function isResourceExhausted(result: Finished, stderr: string): boolean {
  const signal = findSignal(result);
  if (signal === 'SIGXCPU' || signal === 'SIGXFSZ') return true;
  return /cannot allocate memory|out of memory|std::bad_alloc|memory exhausted/i.test(stderr);
}
