import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { visible } from '../lib/visible.js';
import { diffLines, differences } from '../registry/pin-diff.js';
import type { PinBook } from '../registry/pins.js';
import { approvePins } from '../registry/pins.js';
import { homeOf, makeHome } from '../serve/home.js';
import { pinFiles } from '../serve/pin-files.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate pins list [source] [--json] [--config file]
       toolgate pins diff <source> [item]
       toolgate pins approve <source> <item ... | --all>

What upstream servers offer is pinned at first sight: whatever changes later is withheld until you approve it. A running
gateway takes an approval over at once.

  list      shows how many definitions are pinned and what waits for approval
  diff      shows what would change
  approve   lets waiting definitions in, by name (read_file) or by kind and name ("prompt greet")
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

function shown({ pins, pending }: PinBook, items: readonly string[], io: Io): number {
  const wanted = Object.entries(pending).filter(
    ([key]) => items.length === 0 || items.some((item) => key === item || key.endsWith(` ${item}`)),
  );
  for (const [key, { definition, why }] of wanted) {
    const before = Object.hasOwn(pins, key) ? pins[key]?.definition : undefined;
    io.out(`${visible(key)}: ${why}\n${diffLines(differences(before ?? {}, definition)).join('\n')}\n`);
  }
  if (wanted.length === 0) io.out('nothing waits for approval\n');
  return 0;
}
