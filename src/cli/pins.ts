import { loadConfig } from '../config/load.js';
import { escapeInvisible } from '../lib/escape-invisible.js';
import { diffLines, diffDefinitions } from '../admission/pins/pin-diff.js';
import type { PinBook } from '../admission/pins/pins.js';
import { approvePins, pendingDigest, pendingKeys } from '../admission/pins/pins.js';
import { homeOf, makeHome } from '../serve/home.js';
import { pinFiles } from '../admission/pins/pin-files.js';
import { didYouMean, parseCommandLine, reportConfigProblems, usageError } from './command-line.js';
import { recordCliAction } from './admin-audit.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate pins list [source] [--json] [--config file]
       toolgate pins diff <source> [item]
       toolgate pins approve <source> <item ... | --all> [--seen=fingerprint]

Definitions of upstream servers are pinned when they are first seen; changed ones are withheld until you approve them. A running
gateway picks up an approval at once.

  list      shows how many definitions are pinned and which wait for approval
  diff      shows what would change
  approve   approves pending definitions, by name (read_file) or by kind and name ("prompt greet"); --seen takes the
            fingerprint printed by diff and rejects definitions that changed since (TOCTOU)
`;

const pinVerbs: readonly string[] = ['list', 'diff', 'approve'];
const pinOptions = { json: { type: 'boolean' }, all: { type: 'boolean' }, seen: { type: 'string' } } as const;

/** Lists, compares and approves pinned definitions. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const home = homeOf(io.env, loaded.config.state.directory);
  makeHome(home);
  const files = pinFiles(home.pins);
  const parsed = parseCommandLine('pins', loaded.rest, pinOptions, io);
  if (parsed === undefined) return 2;
  const { json: asJson = false, all = false, seen } = parsed.values;
  const [verb = 'list', source, ...items] = parsed.positionals;
  if (!pinVerbs.includes(verb))
    return usageError('pins', `unknown command ${JSON.stringify(verb)}${didYouMean(verb, pinVerbs)}`, io);
  if (verb !== 'list' && source === undefined) return usageError('pins', `${verb} needs a source`, io);
  const books = files.all().filter((book) => source === undefined || book.source === source);
  if (source !== undefined && books.length === 0) {
    io.err(`toolgate pins: no pins for source ${JSON.stringify(source)}; toolgate pins list shows all\n`);
    return 1;
  }
  if (verb === 'list') return listPins(books, asJson, io);
  const [book] = books;
  if (!book) return 1;
  if (verb === 'diff') return showDiff(book, items, io);
  if (items.length === 0 && !all) return usageError('pins', 'approve needs the items to approve, or --all', io);
  if (seen !== undefined && seen !== pendingDigest(book, pendingKeys(book, items))) {
    io.err(
      `toolgate pins: the pending definitions changed since you saw them; run toolgate pins diff ${source} again\n`,
    );
    return 1;
  }
  const { book: next, approved } = approvePins(book, items, new Date().toISOString());
  if (approved.length > 0 && !(await recordCliAction({ home, config: loaded.config, io }, 'pins_approve', book.source)))
    return 1;
  files.write(next);
  const unknown = items.filter((item) => !approved.some((key) => key === item || key.endsWith(` ${item}`)));
  for (const key of approved) io.out(`approved   ${escapeInvisible(key)}\n`);
  for (const item of unknown) io.err(`toolgate pins: no pending definition ${JSON.stringify(item)}\n`);
  return unknown.length === 0 && (approved.length > 0 || all) ? 0 : 1;
}

function listPins(books: readonly PinBook[], asJson: boolean, io: Io): number {
  if (asJson) {
    io.out(
      `${JSON.stringify(
        books.map(({ source, identity, server, pins, pending }) => ({
          source,
          identity,
          server,
          pinned: Object.keys(pins).length,
          pending: Object.entries(pending).map(([key, { why, since }]) => ({ item: key, why, since })),
        })),
        null,
        2,
      )}\n`,
    );
    return 0;
  }
  for (const { source, server, pins, pending } of books) {
    io.out(
      `${source.padEnd(24)} ${Object.keys(pins).length} pinned${server ? `, ${escapeInvisible(server.name)} ${escapeInvisible(server.version)}` : ''}\n`,
    );
    for (const [key, { why, since }] of Object.entries(pending))
      io.out(`  pending  ${escapeInvisible(key).padEnd(32)} ${escapeInvisible(why)} (since ${since})\n`);
  }
  return 0;
}

function showDiff(book: PinBook, items: readonly string[], io: Io): number {
  const keys = pendingKeys(book, items);
  for (const key of keys) {
    const waiting = book.pending[key];
    if (!waiting) continue;
    const before = Object.hasOwn(book.pins, key) ? book.pins[key]?.definition : undefined;
    const lines = diffLines(diffDefinitions(before ?? {}, waiting.definition));
    io.out(`${escapeInvisible(key)}: ${waiting.why}\n${lines.join('\n')}\n`);
  }
  if (keys.length === 0) io.out('no definitions are waiting for approval\n');
  else io.out(`\nTo approve exactly this: toolgate pins approve ${approveArguments(book, items, keys)}\n`);
  return 0;
}

/** Arguments of the command that approves what was shown, and nothing that replaced it since (TOCTOU). */
const approveArguments = (book: PinBook, items: readonly string[], keys: readonly string[]): string =>
  [
    book.source,
    ...(items.length === 0 ? ['--all'] : items.map(shellQuote)),
    `--seen=${pendingDigest(book, keys)}`,
  ].join(' ');

/** Quotes an item for a POSIX shell. */
const shellQuote = (item: string): string =>
  /^[\w./-]+$/.test(item) ? item : `'${escapeInvisible(item).replaceAll("'", "'\\''")}'`;
