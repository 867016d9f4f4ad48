import { describeSystemError } from '../lib/system-error.js';
import { uuid7 } from '../lib/hash.js';
import type { Config } from '../config/schema.js';
import type { Home } from '../serve/home.js';
import { openJournal } from '../serve/journal.js';
import { localUser } from '../serve/local-user.js';
import type { Io } from './io.js';

/**
 * Records an administrative action of the command line before it happens; false if it must not happen. A running gateway holds
 * its own journal, so the record goes to the next free one: all journals of the state folder are one audit.
 */
export async function recordCliAction(
  { home, config, io }: { readonly home: Home; readonly config: Config; readonly io: Io },
  action: string,
  target: string,
): Promise<boolean> {
  const id = uuid7();
  try {
    const journal = openJournal(home.audit, { sync: config.audit.sync, maxFileBytes: config.audit.max_file_bytes });
    try {
      await journal.append({
        event: 'admin',
        at: new Date().toISOString(),
        call: id,
        correlationId: id,
        principal: localUser(config).id,
        via: 'cli',
        tool: target,
        definition: '',
        argsDigest: '',
        decision: 'allowed',
        detail: { action },
      });
    } finally {
      journal.close();
    }
    return true;
  } catch (error) {
    io.err(`toolgate: cannot record this in the audit: ${describeSystemError(error, String(error))}\n`);
    return config.audit.on_failure === 'continue';
  }
}
