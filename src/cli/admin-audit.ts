import { describeSystemError } from '../lib/system-error.js';
import { uuid7 } from '../lib/hash.js';
import type { Config } from '../config/schema.js';
import type { AuditRecord } from '../guards/audit.js';
import type { Home } from '../serve/home.js';
import { openJournal } from '../observe/configured/journal.js';
import { localUser } from '../access/configured/local-user.js';
import { failure } from './command-line.js';
import type { Io } from './io.js';

interface CliAction {
  readonly home: Home;
  readonly config: Config;
  readonly io: Io;
  /** Name and target of the action, as the audit shows them. */
  readonly action: string;
  readonly target: string;
}

/**
 * Performs an administrative action of the command line and records it: ahead, as calls that change something are, and with its result.
 * `act` returns the problem if the action has no effect; returns the exit code, after the problem was printed.
 */
export async function auditedAction(
  { home, config, io, action, target }: CliAction,
  act: () => Promise<string | undefined>,
): Promise<number> {
  const call = uuid7();
  const record = (result: Pick<AuditRecord, 'event' | 'decision' | 'message'>): Promise<boolean> =>
    append({ home, config, io }, { call, action, target, ...result });
  if (!(await record({ event: 'begin', decision: 'allowed' }))) return 1;
  let problem: string | undefined;
  try {
    problem = await act();
  } catch (error) {
    await record({ event: 'admin', decision: 'failed', message: describeSystemError(error, 'failed') });
    throw error;
  }
  const isRecorded = await record(
    problem === undefined
      ? { event: 'admin', decision: 'allowed' }
      : { event: 'admin', decision: 'failed', message: problem },
  );
  if (problem !== undefined) return failure(action.split('_')[0] ?? '', problem, io);
  return isRecorded ? 0 : 1;
}

/**
 * Appends to the next free journal, since a running gateway holds its own: all journals of the state folder are one audit. False if the
 * record could not be written and that matters.
 */
async function append(
  { home, config, io }: Pick<CliAction, 'home' | 'config' | 'io'>,
  {
    action,
    target,
    ...result
  }: Pick<CliAction, 'action' | 'target'> & Pick<AuditRecord, 'call' | 'event' | 'decision' | 'message'>,
): Promise<boolean> {
  try {
    const journal = openJournal(home.audit, { sync: config.audit.sync, maxFileBytes: config.audit.max_file_bytes });
    try {
      await journal.append({
        ...result,
        at: new Date().toISOString(),
        correlationId: result.call,
        principal: localUser(config).id,
        via: 'cli',
        tool: target,
        // No definition and no arguments belong to an administrative action, but every record has the same fields.
        definition: '',
        argsDigest: '',
        detail: { action },
      });
    } finally {
      // Closed at once, so that the lock on the journal does not keep a gateway that starts now waiting.
      journal.close();
    }
    return true;
  } catch (error) {
    failure('', `cannot record this in the audit: ${describeSystemError(error, String(error))}`, io);
    // The same switch as for calls: an operator who accepts unrecorded calls also accepts unrecorded changes.
    return config.audit.on_failure === 'continue';
  }
}
