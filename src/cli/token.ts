import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tokenFromFile } from '../access/token-file.js';
import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import type { Config } from '../config/schema.js';
import { keysIn } from '../serve/access.js';
import { homeOf, makeHome } from '../serve/home.js';
import type { Io } from './io.js';
import { lifetime } from './lifetime.js';

export const help = `Usage: toolgate token [path | show | renew | create | list | revoke] [options] [--json] [--config file]

  path    prints where the gateway's own token is kept (the default)
  show    prints that token itself; its holder is the owner and may do everything
  renew   makes a new one; a running gateway takes it at its next start

  create --name NAME [--role ROLE ...] [--profile PROFILE] [--expires 90d]
          makes a key for a caller of its own and prints it, this once; only its hash is kept
  list    shows the keys: name, roles, profile, when made, when they expire
  revoke NAME
          ends a key; a running gateway refuses it within a second

Give each assistant a key of its own: rules, limits and the audit then tell them apart, and you can approve what they ask.
Roles are "user" unless given; "admin" may enable, disable and reset, "approver" may answer tickets.
--expires takes a time span (12h, 90d) or a date (2027-01-31).
`;

/** Shows or renews the gateway's own token, and makes, lists and revokes keys of callers. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await load({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
    return 1;
  }
  const { config } = loaded;
  const asJson = loaded.rest.includes('--json');
  const [what = 'path', ...more] = loaded.rest.filter((word) => word !== '--json');
  const home = homeOf(io.env, config.state.directory);
  const keyVerb = Object.hasOwn(keyVerbs, what) ? keyVerbs[what] : undefined;
  if (keyVerb) {
    makeHome(home);
    return keyVerb({ argv: more, asJson, io, config, folder: home.folder });
  }
  if (more.length > 0 || !['path', 'show', 'renew'].includes(what)) return wrong(io, 'that is not one of the forms');
  const path = config.auth.token_file ?? home.token;
  makeHome(home);
  if (what === 'renew') rmSync(path, { force: true });
  const token = tokenFromFile(path);
  if (asJson) io.out(`${JSON.stringify({ path, ...(what === 'show' && { token }) })}\n`);
  else io.out(`${what === 'show' ? token : path}\n`);
  return 0;
}

interface KeyVerb {
  readonly argv: readonly string[];
  readonly asJson: boolean;
  readonly io: Io;
  readonly config: Config;
  readonly folder: string;
}

const keyVerbs: Readonly<Record<string, (verb: KeyVerb) => number>> = { create, list, revoke };

function create({ argv, asJson, io, config, folder }: KeyVerb): number {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        name: { type: 'string' },
        role: { type: 'string', multiple: true },
        profile: { type: 'string' },
        expires: { type: 'string' },
      },
    }));
  } catch (error) {
    return wrong(io, error instanceof Error ? error.message : String(error));
  }
  const { name, role: roles = ['user'], profile, expires } = values;
  if (name === undefined) return wrong(io, 'create needs --name');
  const bad = [name, ...roles].find((word) => !/^[A-Za-z0-9_-]{1,64}$/.test(word));
  if (bad !== undefined) return wrong(io, `${JSON.stringify(bad)} must be 1 to 64 letters, digits, _ or -`);
  // A key bound to a profile that is not there would see nothing, and nobody would know why.
  if (profile !== undefined && !Object.hasOwn(config.access.profiles, profile))
    return wrong(io, `there is no profile ${JSON.stringify(profile)} in access.profiles`);
  const until = expires === undefined ? undefined : lifetime(expires);
  if (expires !== undefined && until === undefined)
    return wrong(io, `--expires ${JSON.stringify(expires)} is no time span or date to come`);
  const key = keysIn(folder).create({
    name,
    roles,
    ...(profile !== undefined && { profile }),
    ...(until && { expires: until }),
  });
  if (key === undefined) {
    io.err(`toolgate token: there is a key ${name} already; revoke it first\n`);
    return 1;
  }
  if (asJson)
    io.out(
      `${JSON.stringify({ name, key, principal: `key:${name}`, roles, ...(profile !== undefined && { profile }), ...(until && { expires: until.toISOString() }) })}\n`,
    );
  else {
    io.out(`${key}\n`);
    io.err(`This is key:${name}. It is shown this once and kept nowhere.\n`);
  }
  return 0;
}

function list({ asJson, io, folder }: KeyVerb): number {
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

function revoke({ argv, io, folder }: KeyVerb): number {
  const [name, ...more] = argv;
  if (name === undefined || more.length > 0) return wrong(io, 'revoke needs one name');
  if (keysIn(folder).revoke(name.replace(/^key:/, ''))) return 0;
  io.err(`toolgate token: there is no key ${name}\n`);
  return 1;
}

function wrong(io: Io, why: string): number {
  io.err(`toolgate token: ${why}\n\n${help}`);
  return 2;
}
