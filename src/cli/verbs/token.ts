import { rmSync } from 'node:fs';
import { tokenFromFile } from '../../access/identity/token-file.js';
import { loadConfig } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import { knownRoles } from '../../access/configured/known-roles.js';
import { homeOf, makeHome } from '../../serve/home.js';
import {
  didYouMean,
  failure,
  parseCommandLine,
  reportConfigProblems,
  unexpectedArgument,
  usageError,
} from '../command-line.js';
import type { KeyStore } from '../../access/identity/keys.js';
import { auditedAction } from '../admin-audit.js';
import { openStores } from '../../cluster/stores.js';
import type { ConsoleSessions } from '../../access/identity/console-sessions.js';
import { consoleSessions } from '../../access/identity/console-sessions.js';
import { escapeInvisible } from '../../lib/text/escape-invisible.js';
import type { Io } from '../io.js';
import { parseExpiry } from '../expiry.js';

export const help = `Usage: toolgate token [path | show | renew | create | list | revoke | sessions] [options] [--json] [--config file]

  path    prints the path of the owner's token file (default)
  show    prints the owner's token; its holder may do everything
  renew   replaces the owner's token; a running gateway accepts only the new one within a second

  create --name NAME [--role ROLE ...] [--profile PROFILE] [--expires 90d]
          creates a key for a caller and prints it once; only its hash is stored
  list    lists the keys: name, roles, profile, creation and expiry date
  revoke NAME
          revokes a key, or a console session by its id; a running gateway rejects it within a second
  sessions
          lists the console sessions: id, principal, begin, end and last use

Give each assistant its own key: rules, limits and the audit then distinguish them, and you can approve their calls.
The default role is "user"; "admin" may enable, disable and reset tools, "approver" may approve and deny calls.
--expires takes a duration (12h, 90d) or a date (2027-01-31).
`;

/** Options of `create`. */
const createOptions = {
  name: { type: 'string' },
  role: { type: 'string', multiple: true },
  profile: { type: 'string' },
  expires: { type: 'string' },
} as const;

/** Parsed options. */
type CreateValues = NonNullable<ReturnType<typeof parseCommandLine<typeof createOptions>>>['values'];

/** Shows or renews the owner's token; creates, lists and revokes keys of callers. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const { config } = loaded;
  const parsed = parseCommandLine('token', loaded.rest, createOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const asJson = values.json === true;
  const [command = 'path', ...more] = positionals;
  const home = homeOf(io.env, config.state.directory);
  const commands = ['path', 'show', 'renew', ...Object.keys(keyCommands)];
  if (!commands.includes(command))
    return wrong(io, `unknown command ${JSON.stringify(command)}${didYouMean(command, commands)}`);
  // Without this, `token list --role admin` would look like a filter and ignore it.
  const misplaced = Object.keys(createOptions).find((name) => command !== 'create' && Object.hasOwn(values, name));
  if (misplaced !== undefined) return wrong(io, `--${misplaced} belongs to create`);
  const runKeyCommand = Object.hasOwn(keyCommands, command) ? keyCommands[command] : undefined;
  if (runKeyCommand) {
    makeHome(home);
    const audited: KeyCommand['audited'] = (target, act) =>
      auditedAction({ home, config, io, action: `token_${command}`, target }, act);
    const stores = await openStores(config, io.env, home);
    try {
      return await runKeyCommand({
        values,
        argv: more,
        asJson,
        io,
        config,
        keys: stores.keys,
        sessions: consoleSessions(home.console),
        audited,
      });
    } finally {
      await stores.close();
    }
  }
  const extra = unexpectedArgument('token', more, io);
  if (extra !== undefined) return extra;
  const path = config.auth.token_file ?? home.token;
  makeHome(home);
  if (command === 'renew') {
    const code = await auditedAction({ home, config, io, action: 'token_renew', target: 'owner' }, () => {
      rmSync(path, { force: true });
      tokenFromFile(path);
      return Promise.resolve(undefined);
    });
    if (code !== 0) return code;
  }
  const token = tokenFromFile(path);
  if (asJson) io.out(`${JSON.stringify({ path, ...(command === 'show' && { token }) })}\n`);
  else io.out(`${command === 'show' ? token : path}\n`);
  return 0;
}

/** What a command about keys needs. */
interface KeyCommand {
  readonly values: CreateValues;
  readonly argv: readonly string[];
  readonly asJson: boolean;
  readonly io: Io;
  readonly config: Config;
  keys(): Promise<KeyStore>;
  readonly sessions: ConsoleSessions;
  /** Performs the action, whose arguments are checked, and records it; see `auditedAction`. */
  audited(target: string, act: () => Promise<string | undefined>): Promise<number>;
}

/** Commands about keys and sessions. */
const keyCommands: Readonly<Record<string, (command: KeyCommand) => number | Promise<number>>> = {
  create: createKey,
  list: listKeys,
  revoke: revokeKey,
  sessions: listSessions,
};

async function createKey({ values, argv, asJson, io, config, keys: openKeys, audited }: KeyCommand): Promise<number> {
  if (argv.length > 0) return wrong(io, `unexpected argument ${JSON.stringify(argv[0])}; create takes --name NAME`);
  const { name, role: roles = ['user'], profile, expires } = values;
  if (name === undefined) return wrong(io, 'create needs --name');
  const invalid = [name, ...roles].find((word) => !/^[A-Za-z0-9_-]{1,64}$/.test(word));
  if (invalid !== undefined) return wrong(io, `${JSON.stringify(invalid)} must be 1 to 64 letters, digits, _ or -`);
  // A misspelt role would give a key that no rule is about, without any hint why.
  const known = knownRoles(config);
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined)
    return wrong(
      io,
      `unknown role ${JSON.stringify(unknown)}${didYouMean(unknown, known)}; known are ${known.join(', ')}; access.roles and policy.rules define others`,
    );
  // A key with an unknown profile would see no tools, without any hint why.
  if (profile !== undefined && !Object.hasOwn(config.access.profiles, profile))
    return wrong(io, `unknown profile ${JSON.stringify(profile)}; define it in access.profiles`);
  const until = expires === undefined ? undefined : parseExpiry(expires);
  if (expires !== undefined && until === undefined)
    return wrong(io, `--expires ${JSON.stringify(expires)} is not a duration (12h, 90d) or a future date`);
  const keys = await openKeys();
  const exists = `key ${name} already exists; revoke it first`;
  if (keys.list().some((key) => key.name === name)) return failure('token', exists, io);
  let key: string | undefined;
  const code = await audited(`key:${name}`, async () => {
    key = await keys.create({
      name,
      roles,
      ...(profile !== undefined && { profile }),
      ...(until && { expires: until }),
    });
    return key === undefined ? exists : undefined;
  });
  if (code !== 0) return code;
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

/** Lists keys without their secrets. */
async function listKeys({ argv, asJson, io, keys: openKeys }: KeyCommand): Promise<number> {
  const extra = unexpectedArgument('token', argv, io);
  if (extra !== undefined) return extra;
  const keys = (await openKeys())
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

async function revokeKey({ argv, asJson, io, keys: openKeys, sessions, audited }: KeyCommand): Promise<number> {
  const [given, ...more] = argv;
  if (given === undefined || more.length > 0) return wrong(io, 'revoke needs one key name or session id');
  const keys = await openKeys();
  const name = given.replace(/^key:/, '');
  const isSession = sessions.list().some(({ id }) => id === given);
  if (!isSession && !keys.list().some((key) => key.name === name)) {
    return failure(
      'token',
      `unknown key ${given}${didYouMean(
        name,
        keys.list().map((key) => key.name),
      )}; toolgate token list shows all`,
      io,
    );
  }
  const code = await audited(isSession ? given : `key:${name}`, async () => {
    if (isSession) sessions.revoke(given);
    else await keys.revoke(name);
    return undefined;
  });
  if (code !== 0) return code;
  if (asJson) io.out(`${JSON.stringify({ revoked: isSession ? given : `key:${name}` })}\n`);
  return 0;
}

/** Lists console sessions. */
function listSessions({ argv, asJson, io, sessions: opened }: KeyCommand): number {
  const extra = unexpectedArgument('token', argv, io);
  if (extra !== undefined) return extra;
  const sessions = opened
    .list()
    .map(({ id, principal, created, expires, used }) => ({ id, principal: principal.id, created, expires, used }));
  if (asJson) io.out(`${JSON.stringify({ sessions })}\n`);
  else
    for (const { id, principal, created, expires, used } of sessions)
      io.out(
        `${id.padEnd(24)} ${escapeInvisible(principal).padEnd(24)} ${created}  until ${expires}  last used ${used}\n`,
      );
  return 0;
}

/** Reports wrong use of this verb. */
const wrong = (io: Io, message: string): number => usageError('token', message, io);
