import { userConfigFile } from '../../config/user-file.js';
import type { JsonObject } from '../../core/json.js';
import { failure, parseCommandLine, usageError } from '../command-line.js';
import type { Io } from '../io.js';
import { progressLines } from '../progress-lines.js';
import { addSource } from '../servers/add-source.js';
import { planEntry } from '../servers/plan-source.js';
import type { ReferenceOptions } from '../servers/secret-references.js';
import { openTarget, presentSources, targetFile } from '../servers/target-file.js';
import { documentEntry } from '../../sources/openapi/added-entry.js';
import { idFrom, parseWhat, type AddedThing } from '../servers/what.js';

export const help = `Usage: toolgate add <what> [args ...] [options]

Adds a server to the configuration: resolves and pins its version, installs, scans and starts it, lists its tools, then writes.

  <what>  mcp-server-time                      a package of npm or PyPI: name, name@1.2.3, npm:name, pypi:name
          https://mcp.example.com/mcp          a remote MCP server
          ./openapi.yaml, https://…/api.json   an OpenAPI document
          docker run -i image, ./server.py     a command; also npx -y name and uvx name
  args    arguments of the server; after -- also those that start with a dash

  --name ID           id of the source and prefix of its tools (default: from the name)
  --env NAME=VALUE    variable of the server, repeatable; a secret is moved to the secret store. NAME alone copies it from this environment
  --header NAME:VALUE header of a remote server, repeatable; a secret is moved to the secret store
  --openapi           <what> is an OpenAPI document
  --sandbox none      run a local server without a sandbox, for systems without one
  --no-test           write the entry without starting the server
  --config FILE       configuration file (default: toolgate.yaml here, then ${userConfigFile({ HOME: '~' })})
  --json              print the result as JSON
`;

/** Options of this verb. */
const options = {
  name: { type: 'string' },
  env: { type: 'string', multiple: true },
  header: { type: 'string', multiple: true },
  openapi: { type: 'boolean' },
  sandbox: { type: 'string' },
  'no-test': { type: 'boolean' },
  config: { type: 'string' },
  home: { type: 'string' },
} as const;

/** Adds one source, from its name to its tools. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  // Words after `--` belong to the server, also if they look like our options.
  const dashes = argv.indexOf('--');
  const parsed = parseCommandLine('add', dashes < 0 ? argv : argv.slice(0, dashes), options, io, []);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const words = [...positionals, ...(dashes < 0 ? [] : argv.slice(dashes + 1))];
  if (words.length === 0) return usageError('add', 'nothing to add', io);
  const headers = pairs(values.header ?? [], ':', io);
  const env = pairs(values.env ?? [], '=', io);
  if ('problem' in headers) return usageError('add', headers.problem, io);
  if ('problem' in env) return usageError('add', env.problem, io);
  const thing = parseWhat(words, { openapi: values.openapi === true, headers: headers.values });
  if ('problem' in thing) return usageError('add', thing.problem, io);
  const file = await targetFile(values.config, io);
  const present = presentSources(file);
  const id = values.name ?? idFrom(thing, (each) => present.has(each));
  // Ids become prefixes of tool names, file names and parts of URLs.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return usageError('add', '--name must be 1 to 64 letters, digits, _ or -', io);
  if (present.has(id)) return fail(`source ${JSON.stringify(id)} already exists in ${file}; choose another --name`, io);
  const { store, packages, references } = await openTarget(file, values.home, io);
  const own = references(id);
  const progress = progressLines(io);
  const planned = await planThing(thing, env.values, { references: own, io, progress, packages });
  if ('problem' in planned) return fail(planned.problem, io);
  if (planned.missing !== undefined && values['no-test'] !== true)
    return fail(`${id} was not added: ${planned.missing}`, io);
  // References without a value would fail at the first start; the command to set them is part of the message.
  if (own.missing.size > 0)
    return fail(`not set: ${[...own.missing].join(', ')}; run toolgate secret set ${[...own.missing][0]}`, io);
  const entry: JsonObject = {
    ...planned.entry,
    ...(values.sandbox !== undefined && { sandbox: { tier: values.sandbox } }),
  };
  return addSource(
    { id, file, entry, shown: planned.shown, remarks: planned.remarks, secrets: own.secrets, store },
    { io, progress, verb: 'add', isUntested: values['no-test'] === true, asJson: values.json === true },
  );
}

/** Turns what was named into an entry of `sources`. */
async function planThing(
  thing: AddedThing,
  env: Readonly<Record<string, string>>,
  {
    references,
    io,
    progress,
    packages,
  }: {
    readonly references: ReferenceOptions;
    readonly io: Io;
    readonly progress: ReturnType<typeof progressLines>;
    readonly packages: string;
  },
): ReturnType<typeof planEntry> {
  if ('document' in thing) return { entry: documentEntry(thing.document), shown: thing.document, remarks: [] };
  const isPackage = thing.server.kind === 'package';
  // Only packages need the network to be planned, so only they get a progress line.
  if (isPackage) progress.begin('resolve', thing.server.kind === 'package' ? thing.server.name : '');
  const planned = await planEntry(thing.server, env, {
    references,
    env: io.env,
    packages,
    signal: io.signal,
    base: process.cwd(),
  });
  if (isPackage) progress.end('problem' in planned ? 'failed' : '');
  if (isPackage && !('problem' in planned)) {
    progress.begin('pin', planned.shown);
    progress.end();
  }
  return planned;
}

/** Splits `NAME=value`; a name alone refers to the variable of this name. */
function pairs(
  given: readonly string[],
  separator: string,
  io: Io,
): { readonly values: Readonly<Record<string, string>> } | { readonly problem: string } {
  const values: Record<string, string> = {};
  for (const text of given) {
    const at = text.indexOf(separator);
    const name = (at < 0 ? text : text.slice(0, at)).trim();
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(name))
      return { problem: `${JSON.stringify(text)} is not NAME${separator}VALUE` };
    if (at < 0 && separator === ':') return { problem: `--header ${name} has no value` };
    // A name alone takes the value from this environment, or refers to the variable if it is not set here.
    values[name] = at < 0 ? (io.env[name] ?? `\${${name}}`) : text.slice(at + 1).trim();
  }
  return { values };
}

/** Reports an error of this verb. */
function fail(message: string, io: Io): number {
  return failure('add', message, io);
}
