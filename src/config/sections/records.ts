import { z } from 'zod';
import { defaults } from '../defaults.js';
import { list } from './words.js';

const a = defaults.audit;

/** What is recorded of each call. */
export const audit = z
  .strictObject({
    keep_arguments: z.boolean().default(a.keep_arguments).describe('Keep redacted arguments besides their digest.'),
    on_failure: z
      .enum(['refuse', 'continue'])
      .default(a.on_failure)
      .describe('What happens to a call that cannot be recorded.'),
    sync: z.enum(['never', 'batch', 'always']).default(a.sync).describe('When records are forced to disk.'),
    max_file_bytes: z.int().default(a.max_file_bytes).describe('Size at which a new journal file is begun.'),
  })
  .prefault({})
  .describe('What is recorded of each call.');

/** The levels of the log, least first. */
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** What the gateway says on stderr. */
export const log = z
  .strictObject({
    level: z.enum(levels).default(defaults.log.level).describe('Least level that is written.'),
    format: z.enum(['json', 'text']).default(defaults.log.format).describe('JSON lines, or text for people.'),
  })
  .prefault({})
  .describe('What the gateway says on stderr.');

/** Where things are kept. */
export const state = z
  .strictObject({
    directory: z
      .exactOptional(z.string().min(1))
      .describe('Folder of the token, the audit and the store; `~/.toolgate` when absent.'),
  })
  .prefault({})
  .describe('Where things are kept.');

/** Which command tools exist. */
export const commands = z
  .strictObject({
    directories: list(defaults.commands.directories).describe('Folders with `*.tool.yaml` manifests.'),
    builtins: z.boolean().default(defaults.commands.builtins).describe('Offer the built-in pack (ping, nmap, dig …).'),
  })
  .prefault({})
  .describe('Which command tools exist.');
