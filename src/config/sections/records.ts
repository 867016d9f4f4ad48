import { z } from 'zod';
import { defaults } from '../defaults.js';
import { atStart, stringList } from '../../lib/config-fields.js';

/** Defaults of the audit. */
const a = defaults.audit;

/** Audit records of calls. */
export const audit = z
  .strictObject({
    keep_arguments: z
      .boolean()
      .default(a.keep_arguments)
      .describe('Record redacted arguments in addition to their digest.'),
    stages: z
      .boolean()
      .default(a.stages)
      .describe(
        'Record the time of every call in each guard, for the console; without it only while a client reads `/events`.',
      ),
    on_failure: z
      .enum(['refuse', 'continue'])
      .default(a.on_failure)
      .describe('What happens to a call that cannot be recorded.'),
    ack: z
      .exactOptional(z.enum(['local', 'shipped']))
      .describe(
        'In a cluster, when a record counts: `local` once this replica wrote it, `shipped` once PostgreSQL has it. By default `shipped` for the record ahead of a call that writes or destroys, `local` for all others; use `shipped` if the disk does not outlive the replica.',
      ),
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
    format: z
      .enum(['json', 'text'])
      .default(defaults.log.format)
      .describe('JSON lines, or plain text; `serve` on a terminal writes text if this is not set.'),
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
    http_fetch: z
      .strictObject({
        ports: z
          .union([z.literal('any'), z.array(z.int().min(1).max(65_535)).min(1)])
          .default([...defaults.commands.http_fetch.ports])
          .describe(
            'Ports that `http_fetch` may reach, or `any`; addresses are vetted by the network policy in any case.',
          ),
      })
      .prefault({})
      .describe('The built-in tool `http_fetch`.'),
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

/** Where values of `${secret:NAME}` come from, besides the secret store. */
export const secrets = z
  .strictObject({
    helper: stringList(defaults.secrets.helper).describe(
      'Program and arguments that print the value of a secret which the store does not have, for vaults and keychains; `{name}` is replaced by the name, which is otherwise the last argument. Asked at the start and at each reload.',
    ),
    timeout: z.number().default(defaults.secrets.timeout).describe('Seconds the helper may take.'),
  })
  .prefault({})
  .describe('Where values of `${secret:NAME}` come from, besides the secret store.');
