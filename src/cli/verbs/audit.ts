import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { errors } from '../../core/errors.js';
import { describeSystemError } from '../../lib/system-error.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { followAll, readAll, verifyAll, type JournalEntry } from '../../observe/audit/audit-journals.js';
import type { AuditEntry } from '../../observe/audit/audit-entry.js';
import type { AuditFilter } from '../../observe/audit/audit-read.js';
import type { JournalFinding } from '../../observe/audit/audit-verify.js';
import { homeOf } from '../../serve/home.js';
import { didYouMean, failure, parseCommandLine, reportConfigProblems, usageError } from '../command-line.js';
import { runningGate } from '../gate-client.js';
import type { Io } from '../io.js';
import { allowsColour } from '../terminal.js';

export const help = `Usage: toolgate audit [list] [options]
       toolgate audit verify [options]

Shows who called what and what was decided, or verifies that the audit journal is intact.

Options of list:
  --tool NAME         only calls of this tool
  --principal ID      only calls by this caller
  --code CODE         only calls that ended with this error code
  --decision NAME     only allowed, refused, failed or asked
  --since TIME        from this time on: 2026-11-15T20:00:00Z, or 30m, 12h, 7d ago
  --until TIME        before this time
  --limit N           the newest N records (default 50)
  --follow            keep printing new records until interrupted

  --fleet             records of all replicas, from the PostgreSQL of the cluster

Options of verify:
  --fleet             verifies the chains of all replicas and the signed checkpoints over them
  --key KEY           with --fleet: public key of a former cluster secret, as printed then; may be repeated
  --archived          accept that the oldest files were moved to an archive
  --contains HASH     require that the journal contains this hash, noted earlier; with --fleet also of a checkpoint

Both:
  --home FOLDER       the state folder; by default TOOLGATE_HOME, then the configuration
  --config FILE       the configuration file
  --json              JSON lines
`;

/** Options of this verb. */
const OPTIONS = {
  tool: { type: 'string' },
  principal: { type: 'string' },
  code: { type: 'string' },
  decision: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  follow: { type: 'boolean' },
  fleet: { type: 'boolean' },
  key: { type: 'string', multiple: true },
  archived: { type: 'boolean' },
  contains: { type: 'string' },
  home: { type: 'string' },
  config: { type: 'string' },
} as const;

/** Parsed options of this verb. */
type Values = NonNullable<ReturnType<typeof parseAuditArgs>>['values'];

/** Lists, follows and verifies the audit journal. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseAuditArgs(argv, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [verb = 'list', ...rest] = positionals;
  if (verb !== 'list' && verb !== 'verify')
    return usageError('audit', `unknown command ${JSON.stringify(verb)}${didYouMean(verb, ['list', 'verify'])}`, io);
  if (rest.length > 0) return usageError('audit', `unexpected argument ${JSON.stringify(rest[0])}`, io);
  if (values.fleet) return runOnFleet(verb, values, io);
  try {
    const folder = await auditFolder(values, io);
    if (folder === undefined) return 1;
    // A missing state folder is a wrong --home, not an empty audit.
    if (!existsSync(dirname(folder)))
      return failure('audit', `the state folder ${dirname(folder)} does not exist; set another with --home`, io);
    return verb === 'verify' ? await verifyRecords(folder, values, io) : await listRecords(folder, values, io);
  } catch (error) {
    return failure('audit', `cannot read the audit journal: ${describeSystemError(error)}`, io);
  }
}

/** Lists or verifies the records of all replicas. */
async function runOnFleet(verb: 'list' | 'verify', values: Values, io: Io): Promise<number> {
  if (values.follow) return usageError('audit', '--follow works without --fleet only', io);
  const filter = toFilter(values, Date.now());
  if ('problem' in filter) return usageError('audit', filter.problem, io);
  // Loaded on demand: without --fleet and with --home the verb works while the configuration is broken.
  const { loadConfig } = await import('../../config/load.js');
  const argv = values.config === undefined ? [] : ['--config', values.config];
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const { listFleet, verifyFleetRecords } = await import('../fleet-audit.js');
  // A string is a problem with the arguments; a number is the exit code.
  const problem =
    verb === 'list'
      ? await listFleet(loaded.config, filter, io, (entry) =>
          values.json
            ? escapeInvisible(JSON.stringify(entry))
            : `${row(entry, io.isTTY)}  ${entry.journal.slice(0, 8)}`,
        )
      : await verifyFleetRecords(loaded.config, values, io);
  if (typeof problem === 'string') return usageError('audit', problem, io);
  return problem;
}

/** Locates the audit folder; loads the configuration only if needed, so that a broken one does not hide the journal. */
async function auditFolder(values: Values, io: Io): Promise<string | undefined> {
  const { home = io.env['TOOLGATE_HOME'], config: file } = values;
  if (home) return homeOf({}, home).audit;
  const { loadConfig } = await import('../../config/load.js');
  const loaded = await loadConfig({
    env: io.env,
    argv: file === undefined ? [] : ['--config', file],
    cwd: process.cwd(),
  });
  if (loaded.ok) return homeOf(io.env, loaded.config.state.directory).audit;
  reportConfigProblems(loaded.problems, io);
  return undefined;
}

/** Parses the options; those of the configuration are not among them. */
const parseAuditArgs = (argv: readonly string[], io: Io) => parseCommandLine('audit', argv, OPTIONS, io, []);

/** Prints matching records, and new ones with --follow. */
async function listRecords(folder: string, values: Values, io: Io): Promise<number> {
  const filter = toFilter(values, Date.now());
  if ('problem' in filter) return usageError('audit', filter.problem, io);
  const show = (entry: JournalEntry): void => {
    if (values.json) io.out(`${escapeInvisible(JSON.stringify(entry))}\n`);
    // Notes about new journal files only matter to programs that read --json.
    else if (!('note' in entry && entry.note === 'file')) io.out(`${row(entry, allowsColour(io.isTTY, io.env))}\n`);
  };
  const { entries, ends } = await readAll(folder, filter);
  for (const entry of entries) show(entry);
  if (entries.length === 0 && !values.follow && !values.json) io.err('No matching records.\n');
  // Only names the gate on stderr, so that the operator sees whether new records can come.
  if (values.follow) await runningGate(values.home === undefined ? [] : ['--home', values.home], io);
  // Continues where the list ended, so that no record is lost or shown twice between the two.
  if (values.follow) for await (const entry of followAll(folder, filter, ends, io.signal)) show(entry);
  return 0;
}

/** Verifies all journals and prints their heads, which can be noted elsewhere. */
async function verifyRecords(folder: string, values: Values, io: Io): Promise<number> {
  const result = await verifyAll(folder, {
    archived: values.archived === true,
    ...(values.contains !== undefined && { contains: values.contains }),
  });
  if (values.json) io.out(`${JSON.stringify(result)}\n`);
  else {
    io.out(
      `${result.intact ? 'Intact' : 'Not intact'}: ${countOf(result.records, 'record')} in ${countOf(result.journals.length, 'journal')}\n`,
    );
    for (const finding of result.findings) io.out(`  ${escapeInvisible(finding.message)}\n`);
    for (const { journal, findings, head } of result.journals) {
      io.out(`  journal ${journal} ends at record ${head.seq} with hash ${head.hash}\n`);
      for (const finding of findings)
        io.out(`  ${findingPlace(journal, finding)} ${escapeInvisible(finding.message)}\n`);
    }
  }
  return result.intact ? 0 : 1;
}

/** A count with its noun in the right number. */
const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Place of a finding as `journal/file:line`. */
const findingPlace = (journal: number, { file, line }: JournalFinding): string =>
  `${journal}${file === undefined ? '' : `/${file}`}${line === undefined ? '' : `:${line}`}`;

/** Values of --decision. */
const DECISIONS = ['allowed', 'refused', 'failed', 'asked'];

/** Filter of the options; wrong values are named with the valid ones. */
function toFilter(values: Values, now: number): AuditFilter | { readonly problem: string } {
  const { tool, principal, code, decision } = values;
  // Object.hasOwn: "toString" is not an error code.
  if (code !== undefined && !Object.hasOwn(errors, code))
    return { problem: `unknown error code ${JSON.stringify(code)}${didYouMean(code, Object.keys(errors))}` };
  if (decision !== undefined && !DECISIONS.includes(decision))
    return { problem: `unknown decision ${JSON.stringify(decision)}; use ${DECISIONS.join(', ')}` };
  const limit = values.limit === undefined ? 50 : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 0 || limit > 1_000_000)
    return { problem: `--limit must be a whole number up to 1000000, not ${JSON.stringify(values.limit ?? '')}` };
  const since = values.since === undefined ? undefined : parseTime(values.since, now);
  const until = values.until === undefined ? undefined : parseTime(values.until, now);
  if (since === '' || until === '')
    return { problem: '--since and --until take a time (2026-11-15T20:00:00Z) or how long ago (30m, 12h, 7d)' };
  return {
    limit,
    ...(tool !== undefined && { tool }),
    ...(principal !== undefined && { principal }),
    ...(code !== undefined && { code }),
    ...(decision !== undefined && { decision }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Units of durations. */
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Converts a time or duration to the ISO form of the journal; '' if it is neither. */
function parseTime(text: string, now: number): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at =
    amount !== undefined && unit !== undefined ? now - Number(amount) * (UNIT_MS[unit] ?? 0) : Date.parse(text);
  // `Date.parse` also accepts words such as "May 1"; a time must begin with a digit.
  return Number.isNaN(at) || !/^\d/.test(text) ? '' : new Date(at).toISOString();
}

/** SGR colour codes by decision. */
const COLOURS: Readonly<Record<string, string>> = {
  allowed: '32',
  refused: '33',
  failed: '31',
  asked: '36',
  note: '35',
};

/** Formats a record as one line; values are escaped, since callers control some of them (terminal injection). */
function row(entry: AuditEntry, colour: boolean): string {
  const paint = (word: string): string =>
    colour ? `\x1b[${COLOURS[word] ?? '0'}m${word.padEnd(8)}\x1b[0m` : word.padEnd(8);
  if ('note' in entry)
    return `${entry.at}  ${paint('note')} ${escapeInvisible(`${entry.note} ${JSON.stringify(entry.detail)}`)}`;
  const { at, decision, event, tool, principal, via, durationMs, code, message, correlationId } = entry;
  const step = event === 'begin' || event === 'admin' ? `${event} ` : '';
  const end = [code, message].filter(Boolean).join(': ');
  const took = typeof durationMs !== 'number' ? '' : ` ${durationMs.toFixed(1)} ms`;
  return `${at}  ${paint(decision)} ${escapeInvisible(`${step}${tool} by ${principal} via ${via}`)}${took} ${escapeInvisible(`${correlationId}${end === '' ? '' : `  ${end}`}`)}`;
}
