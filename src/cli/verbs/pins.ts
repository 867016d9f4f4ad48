import { localUser } from '../../access/configured/local-user.js';
import { diffLines, diffPending } from '../../admission/pins/pin-diff.js';
import type { PinStore } from '../../admission/pins/pin-files.js';
import type { PinBook } from '../../admission/pins/pins.js';
import { approvePins, pendingDigest, pendingKeys, rejectPins } from '../../admission/pins/pins.js';
import { openStores } from '../../cluster/stores.js';
import { flagsLayer } from '../../config/layers.js';
import { loadConfig } from '../../config/load.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import { homeOf, makeHome } from '../../serve/home.js';
import { auditedAction } from '../admin-audit.js';
import {
  didYouMean,
  failure,
  parseCommandLine,
  reportConfigProblems,
  unexpectedArgument,
  usageError,
} from '../command-line.js';
import type { Io } from '../io.js';
import { showPaged } from '../pager.js';

export const help = `Usage: toolgate pins list [source] [--json] [--config file]
       toolgate pins diff <source> [item ...]
       toolgate pins approve <source> <item ... | --all> [--seen=fingerprint]
       toolgate pins reject <source> <item ... | --all> [--seen=fingerprint]

Definitions of upstream servers are pinned when they are first seen; changed ones are withheld until you approve them. A running
gateway picks up a decision at once.

  list      shows how many definitions are pinned and which wait for approval
  diff      shows everything that would change, in a pager on a terminal
  approve   approves pending definitions, by name (read_file) or by kind and name ("prompt greet"); --seen takes the
            fingerprint printed by diff and refuses definitions that changed since (TOCTOU)
  reject    keeps pending definitions withheld and ends the request; a definition that changes again waits again
`;

/** Commands of this verb; the words that a suggestion may name. */
const pinCommands: readonly string[] = ['list', 'diff', 'approve', 'reject'];
/** Options of this verb. */
const pinOptions = { all: { type: 'boolean' }, seen: { type: 'string' } } as const;

/** Lists, compares, approves and rejects pinned definitions. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('pins', flagsLayer(argv).rest, pinOptions, io);
  if (parsed === undefined) return 2;
  const { json: asJson = false, all = false, seen } = parsed.values;
  const [command = 'list', source, ...items] = parsed.positionals;
  if (!pinCommands.includes(command))
    return usageError('pins', `unknown command ${JSON.stringify(command)}${didYouMean(command, pinCommands)}`, io);
  if (command !== 'list' && source === undefined) return usageError('pins', `${command} needs a source`, io);
  const extra = command === 'list' ? unexpectedArgument('pins', items, io) : undefined;
  if (extra !== undefined) return extra;
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const home = homeOf(io.env, loaded.config.state.directory);
  const stores = await openStores(loaded.config, io.env, home);
  try {
    return await runOn(await stores.pins());
  } finally {
    await stores.close();
  }

  async function runOn(files: PinStore): Promise<number> {
    const known = files.all();
    const books = known.filter((each) => source === undefined || each.source === source);
    if (source !== undefined && books.length === 0) {
      const near = didYouMean(
        source,
        known.map((each) => each.source),
      );
      return failure('pins', `no pins for source ${JSON.stringify(source)}${near}; toolgate pins list shows all`, io);
    }
    if (command === 'list') return listPins(books, asJson, io);
    const [book] = books;
    if (!book) return 1;
    if (command === 'diff') return showDiff(book, items, asJson, io);
    // Approving everything needs an explicit flag, so that a forgotten item does not.
    if (items.length === 0 && !all) return usageError('pins', `${command} needs the items to ${command}, or --all`, io);
    const keys = pendingKeys(book, items);
    // Items may be given with or without their type, as in `tool read_file` and `read_file`.
    const unknown = items.filter((item) => !keys.some((key) => key === item || key.endsWith(` ${item}`)));
    if (unknown.length > 0)
      return failure('pins', `no pending definition ${unknown.map((item) => JSON.stringify(item)).join(', ')}`, io);
    const changed = `the pending definitions changed since you saw them; run toolgate pins diff ${book.source} again`;
    const reviewed = pendingDigest(book, keys);
    // The fingerprint of `diff` proves that the operator saw these definitions and not later ones.
    if (seen !== undefined && seen !== reviewed) return failure('pins', changed, io);
    if (!loaded.ok) return 1;
    makeHome(home);
    if (keys.length === 0) return failure('pins', `no definitions of ${book.source} are waiting for approval`, io);
    const [now, by] = [new Date().toISOString(), localUser(loaded.config).id];
    const action = { home, config: loaded.config, io, action: `pins_${command}`, target: book.source };
    const code = await auditedAction(action, async () => {
      let isSame = true;
      await files.update(book.source, (current = book) => {
        // A gateway may have replaced a pending definition since it was read here (TOCTOU).
        isSame = pendingDigest(current, keys) === reviewed;
        if (!isSame) return undefined;
        return command === 'approve'
          ? approvePins(current, keys, now).book
          : rejectPins(current, keys, { at: now, by });
      });
      return isSame ? undefined : changed;
    });
    if (code !== 0) return code;
    const done = command === 'approve' ? 'approved' : 'rejected';
    if (asJson) io.out(`${JSON.stringify({ source: book.source, [done]: keys })}\n`);
    else for (const key of keys) io.out(`${done}   ${escapeInvisible(key)}\n`);
    return 0;
  }
}

/** Prints the pinned and pending definitions of each source. */
function listPins(books: readonly PinBook[], asJson: boolean, io: Io): number {
  if (asJson) {
    io.out(
      `${JSON.stringify(
        books.map(({ source, identity, server, pins, pending }) => ({
          source,
          identity,
          server,
          pinned: Object.keys(pins).length,
          pending: Object.entries(pending).map(([key, { why, since, rejected }]) => ({
            item: key,
            why,
            since,
            ...(rejected && { rejected }),
          })),
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
    for (const [key, { why, since, rejected }] of Object.entries(pending))
      io.out(
        `  ${rejected ? 'rejected' : 'pending '} ${escapeInvisible(key).padEnd(32)} ${escapeInvisible(why)} (since ${since})\n`,
      );
  }
  return 0;
}

/** Prints what changed in pending definitions, with the commands that decide about exactly that. */
async function showDiff(book: PinBook, items: readonly string[], asJson: boolean, io: Io): Promise<number> {
  const keys = pendingKeys(book, items);
  const waiting = keys.flatMap((key) => {
    const pending = book.pending[key];
    // Object.hasOwn: item names come from the server and may be `__proto__`.
    const before = Object.hasOwn(book.pins, key) ? book.pins[key]?.definition : undefined;
    return pending ? [{ key, ...pending, differences: diffPending(key, before ?? {}, pending.definition) }] : [];
  });
  if (asJson) {
    const pending = waiting.map(({ key, why, since, rejected, differences }) => ({
      item: key,
      why,
      since,
      ...(rejected && { rejected }),
      differences,
    }));
    io.out(`${JSON.stringify({ source: book.source, pending, seen: pendingDigest(book, keys) }, null, 2)}\n`);
    return 0;
  }
  if (keys.length === 0) {
    io.out('no definitions are waiting for approval\n');
    return 0;
  }
  const blocks = waiting.map(
    ({ key, why, rejected, differences }) =>
      `${escapeInvisible(key)}: ${escapeInvisible(why)}${rejected ? ` (rejected ${rejected.at} by ${rejected.by})` : ''}\n${diffLines(differences).join('\n')}\n`,
  );
  await showPaged(
    `${blocks.join('')}\nTo approve exactly this: toolgate pins approve ${decisionArguments(book, items, keys)}\nTo reject it: toolgate pins reject ${decisionArguments(book, items, keys)}\n`,
    io,
  );
  return 0;
}

/** Arguments of the commands that decide about what was shown, and nothing that replaced it since (TOCTOU). */
const decisionArguments = (book: PinBook, items: readonly string[], keys: readonly string[]): string =>
  [
    book.source,
    ...(items.length === 0 ? ['--all'] : items.map(shellQuote)),
    `--seen=${pendingDigest(book, keys)}`,
  ].join(' ');

/** Quotes an item for a POSIX shell. */
const shellQuote = (item: string): string =>
  /^[\w./-]+$/.test(item) ? item : `'${escapeInvisible(item).replaceAll("'", "'\\''")}'`;
