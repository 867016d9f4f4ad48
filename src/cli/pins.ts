import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { visible } from '../lib/visible.js';
import { diffLines, differences } from '../registry/pin-diff.js';
import type { PinBook } from '../registry/pins.js';
import { approvePins, seenWord, waitingKeys } from '../registry/pins.js';
import { homeOf, makeHome } from '../serve/home.js';
import { pinFiles } from '../serve/pin-files.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate pins list [source] [--json] [--config file]
       toolgate pins diff <source> [item]
       toolgate pins approve <source> <item ... | --all> [--seen=word]

What upstream servers offer is pinned at first sight: whatever changes later is withheld until you approve it. A running
gateway takes an approval over at once.

  list      shows how many definitions are pinned and what waits for approval
  diff      shows what would change
  approve   lets waiting definitions in, by name (read_file) or by kind and name ("prompt greet"); with the word that diff
            showed, only what was seen there: a server may change what waits while you read
`;

/** Shows and approves what upstream servers offer. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await load({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
    return 1;
  }
  const home = homeOf(io.env, loaded.config.state.directory);
  makeHome(home);
  const files = pinFiles(home.pins);
  const asJson = loaded.rest.includes('--json');
  const all = loaded.rest.includes('--all');
  const seen = loaded.rest.find((word) => word.startsWith('--seen='))?.slice('--seen='.length);
  const [verb = 'list', source, ...items] = loaded.rest.filter((word) => !word.startsWith('--'));
  if (!['list', 'diff', 'approve'].includes(verb) || (verb !== 'list' && source === undefined)) {
    io.err(help);
    return 2;
  }
  const books = files.all().filter((book) => source === undefined || book.source === source);
  if (source !== undefined && books.length === 0) {
    io.err(`toolgate: nothing is pinned for a source ${JSON.stringify(source)}\n`);
    return 1;
  }
  if (verb === 'list') return listed(books, asJson, io);
  const [book] = books;
  if (!book) return 1;
  if (verb === 'diff') return shown(book, items, io);
  if (items.length === 0 && !all) {
    io.err('toolgate pins approve: name what you approve, or say --all\n');
    return 2;
  }
  if (seen !== undefined && seen !== seenWord(book, waitingKeys(book, items))) {
    io.err(`toolgate: what waits is not what you saw; look again with toolgate pins diff ${source}\n`);
    return 1;
  }
  const { book: next, approved } = approvePins(book, items, new Date().toISOString());
  files.write(next);
  const unknown = items.filter((item) => !approved.some((key) => key === item || key.endsWith(` ${item}`)));
  for (const key of approved) io.out(`approved   ${visible(key)}\n`);
  for (const item of unknown) io.err(`toolgate: nothing called ${JSON.stringify(item)} waits for approval\n`);
  return unknown.length === 0 && (approved.length > 0 || all) ? 0 : 1;
}

function listed(books: readonly PinBook[], asJson: boolean, io: Io): number {
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
      `${source.padEnd(24)} ${Object.keys(pins).length} pinned${server ? `, ${visible(server.name)} ${visible(server.version)}` : ''}\n`,
    );
    for (const [key, { why, since }] of Object.entries(pending))
      io.out(`  waits    ${visible(key).padEnd(32)} ${visible(why)} (since ${since})\n`);
  }
  return 0;
}

function shown(book: PinBook, items: readonly string[], io: Io): number {
  const keys = waitingKeys(book, items);
  for (const key of keys) {
    const waiting = book.pending[key];
    if (!waiting) continue;
    const before = Object.hasOwn(book.pins, key) ? book.pins[key]?.definition : undefined;
    const lines = diffLines(differences(before ?? {}, waiting.definition));
    io.out(`${visible(key)}: ${waiting.why}\n${lines.join('\n')}\n`);
  }
  if (keys.length === 0) io.out('nothing waits for approval\n');
  else io.out(`\nTo let in exactly this: toolgate pins approve ${approval(book, items, keys)}\n`);
  return 0;
}

/** The rest of the command that approves what was shown, and nothing that took its place since. */
const approval = (book: PinBook, items: readonly string[], keys: readonly string[]): string =>
  [book.source, ...(items.length === 0 ? ['--all'] : items.map(quoted)), `--seen=${seenWord(book, keys)}`].join(' ');

const quoted = (item: string): string =>
  /^[\w./-]+$/.test(item) ? item : `'${visible(item).replaceAll("'", "'\\''")}'`;
