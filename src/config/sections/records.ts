import { z } from 'zod';
import { defaults } from '../defaults.js';
import { atStart, stringList } from '../../lib/config-fields.js';

const a = defaults.audit;

/** Audit records of calls. */
export const audit = z
  .strictObject({
    keep_arguments: z
      .boolean()
      .default(a.keep_arguments)
      .describe('Record redacted arguments in addition to their digest.'),
    on_failure: z
      .enum(['refuse', 'continue'])
      .default(a.on_failure)
      .describe('What happens to a call that cannot be recorded.'),
    sync: z.enum(['never', 'batch', 'always']).default(a.sync).describe('When records are flushed to disk (fsync).'),
    max_file_bytes: z.int().default(a.max_file_bytes).describe('Size at which a new journal file is started.'),
  })
  .prefault({})
  .describe('Audit records of calls.');

/** Log levels, lowest first. */
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** Log output on stderr. */
export const log = z
  .strictObject({
    level: z.enum(levels).default(defaults.log.level).describe('Lowest level that is written.'),
    format: z.enum(['json', 'text']).default(defaults.log.format).describe('JSON lines, or plain text.'),
  })
  .prefault({})
  .describe('Log output on stderr.');

/** Storage of tokens, audit and state. */
export const state = z
  .strictObject({
    directory: atStart(
      z
        .exactOptional(z.string().min(1))
        .describe('Folder of the token, the audit and the store; by default `~/.toolgate`.'),
    ),
  })
  .prefault({})
  .describe('Storage of tokens, audit and state.');

/** Which command tools exist. */
export const commands = z
  .strictObject({
    directories: stringList(defaults.commands.directories).describe('Folders with `*.tool.yaml` manifests.'),
    builtins: z.boolean().default(defaults.commands.builtins).describe('Offer the built-in pack (ping, nmap, dig …).'),
    sandbox: z
      .strictObject({
        tier: z
          .enum(['auto', 'none'])
          .default(defaults.commands.sandbox.tier)
          .describe(
            '`auto`: the strongest tier of this machine that the tool accepts. `none`: unsandboxed and without resource limits, for systems without tiers.',
          ),
      })
      .prefault({})
      .describe('Sandbox of the processes of command tools.'),
  })
  .prefault({})
  .describe('Which command tools exist.');
