import { parseArgs } from 'node:util';
import { errors } from '../core/errors.js';
import { visible } from '../lib/visible.js';
import { followAll, readAll, verifyAll, type JournalEntry } from '../observe/audit-journals.js';
import type { AuditFilter } from '../observe/audit-read.js';
import type { Finding } from '../observe/audit-verify.js';
import { homeOf } from '../serve/home.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate audit [list] [options]
       toolgate audit verify [options]

Shows who called what and how it was decided, or checks that the record is whole.

Options of list:
  --tool NAME         only calls of this tool
  --principal ID      only calls by this caller
  --code CODE         only calls that ended with this error code
  --decision WORD     only allowed, refused, failed or asked
  --since TIME        from this time on: 2026-11-15T20:00:00Z, or 30m, 12h, 7d ago
  --until TIME        before this time
  --limit N           the newest N (default 50)
  --follow            go on showing new records until stopped

Options of verify:
  --archived          accept that the oldest files were moved elsewhere
  --contains HASH     the record must hold this hash, noted earlier

Both:
  --home FOLDER       the state folder; TOOLGATE_HOME and then the configuration name it otherwise
  --config FILE       the configuration
  --json              JSON lines for programs
  --help              this text

Exit code: 0 fine, 1 the record is not whole or cannot be read, 2 wrong use.
`;

const OPTIONS = {
  tool: { type: 'string' },
  principal: { type: 'string' },
  code: { type: 'string' },
  decision: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  follow: { type: 'boolean' },
  archived: { type: 'boolean' },
  contains: { type: 'string' },
  home: { type: 'string' },
  config: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parsed>['values'];

/** The verb `audit`: lists, follows and verifies the journal; answers with the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let given: ReturnType<typeof parsed>;
  try {
    given = parsed(argv);
  } catch (error) {
    return wrong(io, error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = given;
  const [verb = 'list', ...rest] = positionals;
  if (values.help) {
    io.out(help);
    return 0;
  }
  if (rest.length > 0 || (verb !== 'list' && verb !== 'verify'))
    return wrong(io, `audit does not know "${[verb, ...rest].join(' ')}"`);
  try {
    const folder = await auditFolder(values, io);
    if (folder === undefined) return 1;
    return verb === 'verify' ? await verified(folder, values, io) : await listed(folder, values, io);
  } catch (error) {
    io.err(
      `The audit cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}\n`,
    );
    return 1;
  }
}

/** Where the audit is; a configuration is read only where the environment does not say, so that a broken one hides no record. */
async function auditFolder(values: Values, io: Io): Promise<string | undefined> {
  const { home = io.env['TOOLGATE_HOME'], config: file } = values;
  if (home) return homeOf({}, home).audit;
  const [{ load }, { problemLine }] = await Promise.all([import('../config/load.js'), import('../config/problem.js')]);
  const loaded = await load({ env: io.env, argv: file === undefined ? [] : ['--config', file], cwd: process.cwd() });
  if (loaded.ok) return homeOf(io.env, loaded.config.state.directory).audit;
  io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
  return undefined;
}

const parsed = (argv: readonly string[]) => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });

function wrong(io: Io, message: string): number {
  io.err(`${visible(message)}\nRun \`toolgate audit --help\` for what it takes.\n`);
  return 2;
}

async function listed(folder: string, values: Values, io: Io): Promise<number> {
  const filter = toFilter(values, Date.now());
  if ('problem' in filter) return wrong(io, filter.problem);
  const show = (entry: JournalEntry): void => {
    if (values.json) io.out(`${visible(JSON.stringify(entry))}\n`);
    // That a new file was begun is of use to programs only.
    else if (!('note' in entry && entry.note === 'file')) io.out(`${row(entry, io.isTTY)}\n`);
  };
  const { entries, ends } = await readAll(folder, filter);
  for (const entry of entries) show(entry);
  if (entries.length === 0 && !values.follow && !values.json) io.err('No record fits.\n');
  if (values.follow) for await (const entry of followAll(folder, filter, ends, io.signal)) show(entry);
  return 0;
}

async function verified(folder: string, values: Values, io: Io): Promise<number> {
  const result = await verifyAll(folder, {
    archived: values.archived === true,
    ...(values.contains !== undefined && { contains: values.contains }),
  });
  if (values.json) io.out(`${JSON.stringify(result)}\n`);
  else {
    io.out(
      `${result.intact ? 'Intact' : 'Not intact'}: ${counted(result.records, 'record')} in ${counted(result.journals.length, 'journal')}\n`,
    );
    for (const finding of result.findings) io.out(`  ${visible(finding.message)}\n`);
    for (const { journal, findings, head } of result.journals) {
      io.out(`  journal ${journal} ends at record ${head.seq} with hash ${head.hash}\n`);
      for (const finding of findings) io.out(`  ${place(journal, finding)} ${visible(finding.message)}\n`);
    }
  }
  return result.intact ? 0 : 1;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const place = (journal: number, { file, line }: Finding): string =>
  `${journal}${file === undefined ? '' : `/${file}`}${line === undefined ? '' : `:${line}`}`;

const DECISIONS = ['allowed', 'refused', 'failed', 'asked'];

function toFilter(values: Values, now: number): AuditFilter | { readonly problem: string } {
  const { tool, principal, code, decision } = values;
  if (code !== undefined && !Object.hasOwn(errors, code)) return { problem: `There is no error code "${code}"` };
  if (decision !== undefined && !DECISIONS.includes(decision))
    return { problem: `There is no decision "${decision}"; there is ${DECISIONS.join(', ')}` };
  const limit = values.limit === undefined ? 50 : Number(values.limit);
  if (!Number.isInteger(limit) || limit < 0 || limit > 1_000_000)
    return { problem: `--limit takes a number up to 1000000, not "${values.limit ?? ''}"` };
  const since = values.since === undefined ? undefined : timeOf(values.since, now);
  const until = values.until === undefined ? undefined : timeOf(values.until, now);
  if (since === '' || until === '')
    return { problem: 'A time is like 2026-11-15T20:00:00Z, or 30m, 12h, 7d for so long ago' };
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

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as the journal writes it, or '' where it is none. */
function timeOf(text: string, now: number): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at =
    amount !== undefined && unit !== undefined ? now - Number(amount) * (UNIT_MS[unit] ?? 0) : Date.parse(text);
  return Number.isNaN(at) || !/^\d/.test(text) ? '' : new Date(at).toISOString();
}

const COLOURS: Readonly<Record<string, string>> = {
  allowed: '32',
  refused: '33',
  failed: '31',
  asked: '36',
  note: '35',
};

/** One line for a person; whatever a record holds is escaped, since callers choose some of it. */
function row(entry: JournalEntry, colour: boolean): string {
  const paint = (word: string): string =>
    colour ? `\x1b[${COLOURS[word] ?? '0'}m${word.padEnd(8)}\x1b[0m` : word.padEnd(8);
  if ('note' in entry)
    return `${entry.at}  ${paint('note')} ${visible(`${entry.note} ${JSON.stringify(entry.detail)}`)}`;
  const { at, decision, event, tool, principal, via, durationMs, code, message, correlationId } = entry;
  const step = event === 'begin' || event === 'admin' ? `${event} ` : '';
  const end = [code, message].filter(Boolean).join(': ');
  const took = typeof durationMs !== 'number' ? '' : ` ${durationMs.toFixed(1)} ms`;
  return `${at}  ${paint(decision)} ${visible(`${step}${tool} by ${principal} via ${via}`)}${took} ${visible(`${correlationId}${end === '' ? '' : `  ${end}`}`)}`;
}
