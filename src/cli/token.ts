import { rmSync } from 'node:fs';
import { tokenFromFile } from '../access/token-file.js';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { keysIn } from '../serve/access.js';
import { homeOf, makeHome } from '../serve/home.js';
import { didYouMean, parseCommandLine, reportConfigProblems, usageError } from './command-line.js';
import { recordCliAction } from './admin-audit.js';
import type { Io } from './io.js';
import { parseExpiry } from './expiry.js';

export const help = `Usage: toolgate token [path | show | renew | create | list | revoke] [options] [--json] [--config file]

  path    prints the path of the owner's token file (default)
  show    prints the owner's token; its holder may do everything
  renew   replaces the owner's token; a running gateway accepts only the new one within a second

  create --name NAME [--role ROLE ...] [--profile PROFILE] [--expires 90d]
          creates a key for a caller and prints it once; only its hash is stored
  list    lists the keys: name, roles, profile, creation and expiry date
  revoke NAME
          revokes a key; a running gateway rejects it within a second

Give each assistant its own key: rules, limits and the audit then distinguish them, and you can approve their calls.
The default role is "user"; "admin" may enable, disable and reset tools, "approver" may approve and deny calls.
--expires takes a duration (12h, 90d) or a date (2027-01-31).
`;

const createOptions = {
  name: { type: 'string' },
  role: { type: 'string', multiple: true },
  profile: { type: 'string' },
  expires: { type: 'string' },
} as const;

/** Shows or renews the owner's token; creates, lists and revokes keys of callers. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const { config } = loaded;
  const asJson = loaded.rest.includes('--json');
  const [command = 'path', ...more] = loaded.rest.filter((word) => word !== '--json');
  const home = homeOf(io.env, config.state.directory);
  const runKeyCommand = Object.hasOwn(keyCommands, command) ? keyCommands[command] : undefined;
  if (runKeyCommand) {
    makeHome(home);
    if (command !== 'list' && !(await recordCliAction({ home, config, io }, `token_${command}`, keyName(more))))
      return 1;
    return runKeyCommand({ argv: more, asJson, io, config, folder: home.folder });
  }
  const commands = ['path', 'show', 'renew', ...Object.keys(keyCommands)];
  if (command.startsWith('-'))
    return wrong(io, `unknown option ${command}${didYouMean(command, ['--json', '--config', '--home'])}`);
  if (!commands.includes(command))
    return wrong(io, `unknown command ${JSON.stringify(command)}${didYouMean(command, commands)}`);
  if (more.length > 0) return wrong(io, `unexpected argument ${JSON.stringify(more[0])}`);
  const path = config.auth.token_file ?? home.token;
  makeHome(home);
  if (command === 'renew') {
    if (!(await recordCliAction({ home, config, io }, 'token_renew', 'owner'))) return 1;
    rmSync(path, { force: true });
  }
  const token = tokenFromFile(path);
  if (asJson) io.out(`${JSON.stringify({ path, ...(command === 'show' && { token }) })}\n`);
  else io.out(`${command === 'show' ? token : path}\n`);
  return 0;
}

/** The key that a command names, for the record; the command itself checks it. */
const keyName = (argv: readonly string[]): string => {
  const at = argv.indexOf('--name');
  const named = at === -1 ? argv.find((word) => !word.startsWith('-')) : argv[at + 1];
  return `key:${(named ?? '').replace(/^(?:key:|--name=)/, '').slice(0, 64)}`;
};

interface KeyCommand {
  readonly argv: readonly string[];
  readonly asJson: boolean;
  readonly io: Io;
  readonly config: Config;
  readonly folder: string;
}

const keyCommands: Readonly<Record<string, (command: KeyCommand) => number>> = {
  create: createKey,
  list: listKeys,
  revoke: revokeKey,
};

function createKey({ argv, asJson, io, config, folder }: KeyCommand): number {
  const parsed = parseCommandLine('token', argv, createOptions, io);
  if (parsed === undefined) return 2;
  if (parsed.positionals.length > 0)
    return wrong(io, `unexpected argument ${JSON.stringify(parsed.positionals[0])}; create takes --name NAME`);
  const { name, role: roles = ['user'], profile, expires } = parsed.values;
  if (name === undefined) return wrong(io, 'create needs --name');
  const invalid = [name, ...roles].find((word) => !/^[A-Za-z0-9_-]{1,64}$/.test(word));
  if (invalid !== undefined) return wrong(io, `${JSON.stringify(invalid)} must be 1 to 64 letters, digits, _ or -`);
  // A key with an unknown profile would see no tools, without any hint why.
  if (profile !== undefined && !Object.hasOwn(config.access.profiles, profile))
    return wrong(io, `unknown profile ${JSON.stringify(profile)}; define it in access.profiles`);
  const until = expires === undefined ? undefined : parseExpiry(expires);
  if (expires !== undefined && until === undefined)
    return wrong(io, `--expires ${JSON.stringify(expires)} is not a duration (12h, 90d) or a future date`);
  const key = keysIn(folder).create({
    name,
    roles,
    ...(profile !== undefined && { profile }),
    ...(until && { expires: until }),
  });
  if (key === undefined) {
    io.err(`toolgate token: key ${name} already exists; revoke it first\n`);
    return 1;
  }
  if (asJson)
    io.out(
      `${JSON.stringify({ name, key, principal: `key:${name}`, roles, ...(profile !== undefined && { profile }), ...(until && { expires: until.toISOString() }) })}\n`,
    );
  else {
    io.out(`${key}\n`);
    io.err(`This is key:${name}. It is shown only once; the gateway stores its hash.\n`);
  }
  return 0;
}

function listKeys({ asJson, io, folder }: KeyCommand): number {
  const keys = keysIn(folder)
    .list()
    .map(({ name, roles, profile, created, expires }) => ({ name, roles, profile, created, expires }));
  if (asJson) io.out(`${JSON.stringify({ keys })}\n`);
  else
    for (const { name, roles, profile, created, expires } of keys)
      io.out(
        `${`key:${name}`.padEnd(24)} ${roles.join(',').padEnd(16)} ${(profile ?? '-').padEnd(16)} ${created}  ${expires ?? 'does not expire'}\n`,
      );
  return 0;
}

function revokeKey({ argv, io, folder }: KeyCommand): number {
  const [name, ...more] = argv;
  if (name === undefined || more.length > 0) return wrong(io, 'revoke needs one key name');
  if (keysIn(folder).revoke(name.replace(/^key:/, ''))) return 0;
  io.err(`toolgate token: unknown key ${name}; toolgate token list shows all\n`);
  return 1;
}

const wrong = (io: Io, message: string): number => usageError('token', message, io);
