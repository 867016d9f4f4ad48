import { deadlinePassed, type Call } from '../../core/call.js';
import type { CommandOutput } from '../../core/command-output.js';
import type { ErrorCode } from '../../core/errors.js';
import type { JsonObject } from '../../core/json.js';
import { done, failed, refuse, type Outcome } from '../../core/outcome.js';
import type { Finished, Refused } from '../../processes/spec.js';
import { programOf, type CommandDefinition } from './definition.js';

/** What of its settings decides how the end of a program is told. */
interface Ended {
  readonly definition: CommandDefinition;
  readonly network: 'host' | 'none';
  readonly onCap: 'kill' | 'drain';
}

/** The output of a program that printed nothing. */
export const silence = {
  stdout: '',
  stderr: '',
  truncated_stdout: false,
  truncated_stderr: false,
  timed_out: false,
} as const;

// The launcher's own words may hold paths of the gateway; the log has them, the caller gets what to do.
/** The outcome of a program that never ran. */
export function notRun(definition: CommandDefinition, { reason }: Refused): Outcome {
  const command = programOf(definition);
  const missing = { ...silence, returncode: 127, metadata: {} };
  if (reason === 'not_found') return failed(commandMissing(command), { data: missing });
  if (reason === 'sandbox_unavailable')
    return refuse('sandbox_unavailable', `${command} was not started: the isolation it needs could not be set up`);
  return refuse(
    'crashed',
    reason === 'broker_lost' ? `${command} was lost: the process broker ended` : `${command} could not be started`,
  );
}

/** Why a tool whose program is not installed cannot run. */
export const commandMissing = (command: string) =>
  ({
    code: 'command_missing',
    message: `${command} is not installed`,
    hint: `Install ${command} or add to PATH.`,
  }) as const;

/** The outcome of a program that ran: everything it printed, and which error its end was, if any. */
export function ended(settings: Ended, call: Call, result: Finished, timeoutMs: number, facts: JsonObject): Outcome {
  const { definition, onCap } = settings;
  const command = programOf(definition);
  const timedOut = result.timedOut || (result.cancelled && call.signal.reason === deadlinePassed);
  const returncode = timedOut ? 124 : (result.code ?? 128 + signalNumber(result.signal));
  const stdout = toText(result.stdout, result.truncatedStdout);
  const said = toText(result.stderr, result.truncatedStderr);
  const stderr = timedOut
    ? `${said}${said === '' || said.endsWith('\n') ? '' : '\n'}Process timed out after ${timeoutMs / 1000}s`
    : said;
  const metadata = {
    ...facts,
    sandbox: { tier: result.tier, network: settings.network },
    ...readings(definition, call, { stdout, stderr, returncode }, result.truncatedStdout),
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
  const no = (code: ErrorCode, message: string, hint?: string): Outcome =>
    failed({ code, message, ...(hint !== undefined && { hint }) }, { data, content: [] });

  if (timedOut) return no('timeout', `${command} was ended after ${timeoutMs / 1000} s`);
  if (result.cancelled) return no('cancelled', 'The caller cancelled');
  if (returncode === 0) return done([], data);
  if (onCap === 'kill' && (result.truncatedStdout || result.truncatedStderr))
    return no('output_limit', `${command} printed more than its limit and was ended; the beginning is returned`);
  if (exhausted(result, stderr))
    return no('resource_exhausted', `${command} ran into a limit of memory, processor time or file size`);
  const signal = signalOf(result);
  if (signal !== undefined) return no('crashed', `${command} died by ${signal}`);
  if (/operation not permitted|permission denied/i.test(stderr))
    return no('permission_denied', `${command} was not permitted to do this`);
  const offline = /network is unreachable|no route to host|name resolution|no servers could be reached/i.test(
    `${stderr}\n${stdout.slice(0, 4096)}`,
  );
  return no(
    'execution_failed',
    `${command} ended with exit code ${returncode}`,
    offline ? 'Check network connectivity and firewall rules.' : undefined,
  );
}

function readings(
  { parser }: CommandDefinition,
  call: Call,
  printed: { stdout: string; stderr: string; returncode: number },
  cut: boolean,
): JsonObject {
  const reading = parser?.read({ ...printed, args: call.args }) ?? {};
  const json = printed.returncode === 0 && !cut ? jsonOf(printed.stdout) : undefined;
  return {
    ...(json !== undefined && { json }),
    ...(reading.parsed !== undefined && { parsed: reading.parsed }),
    ...(reading.summary !== undefined && { summary: reading.summary }),
  };
}

function jsonOf(stdout: string): JsonObject[string] {
  if (!/^\s*[[{]/.test(stdout)) return undefined;
  try {
    return JSON.parse(stdout) as JsonObject[string]; // what JSON.parse makes is JSON
  } catch {
    return undefined;
  }
}

// With `stream` a half code point at the cut is held back instead of becoming U+FFFD.
const toText = (bytes: Buffer, cut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });

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

function signalOf({ code, signal, tier }: Finished): string | undefined {
  if (signal !== null) return signal;
  // Inside the pid namespace a death by signal is told as 128 + n.
  if (tier !== 'bwrap' || code === null) return undefined;
  return Object.keys(signalNumbers).find((name) => signalNumbers[name] === code - 128);
}

function exhausted(result: Finished, stderr: string): boolean {
  const signal = signalOf(result);
  if (signal === 'SIGXCPU' || signal === 'SIGXFSZ') return true;
  return /cannot allocate memory|out of memory|std::bad_alloc|memory exhausted/i.test(stderr);
}
