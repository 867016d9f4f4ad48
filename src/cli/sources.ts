import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadConfig } from '../config/load.js';
import type { JsonObject } from '../core/json.js';
import { escapeInvisible } from '../lib/escape-invisible.js';
import type { Config } from '../config/schema.js';
import { mcpRegistry } from '../admission/configured-registry.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import { homeOf } from '../serve/home.js';
import { pinFiles } from '../admission/pins/pin-files.js';
import { addedEntry, type AddedServer } from '../sources/mcp/registration/added-entry.js';
import { fromClientFile } from '../sources/mcp/registration/client-files.js';
import { fromRegistration, type SourceEntry } from '../sources/mcp/registration/registration.js';
import { didYouMean, parseCommandLine, reportConfigProblems, usageError } from './command-line.js';
import type { Io } from './io.js';
import { localUser } from '../serve/local-user.js';
import { localGate } from './local-gate.js';
import { changeSources } from './sources-file.js';

export const help = `Usage: toolgate sources list [--json]
       toolgate sources test <id>
       toolgate sources refresh <id>
       toolgate sources add <id> --url <address> | --package <name@version> [--runtime npx|uvx] | --command <program> [-- args ...]
       toolgate sources add --from <mcpServers file> | --registration <file>
       toolgate sources remove <id>
       toolgate sources lookup <server name> [--registry <address>]
     all with [--config file]

  list      shows the sources, their health, the admission decision on their code, and withheld definitions
  test      connects to one source and lists its tools
  refresh   makes a running gateway reload the source
  add       adds a source to the configuration file, from options or from the configuration of an MCP client
  remove    removes a source from the file; its pins are kept
  lookup    looks up a server by name in an MCP registry (default: the configured one)

Sources can only be added here and in the file, never over the network.
`;

const sourceVerbs: readonly string[] = ['list', 'test', 'refresh', 'add', 'remove', 'lookup'];
const sourceOptions = {
  from: { type: 'string' },
  registration: { type: 'string' },
  url: { type: 'string' },
  package: { type: 'string' },
  runtime: { type: 'string' },
  command: { type: 'string' },
  registry: { type: 'string' },
} as const;

/** Lists, tests, adds and removes sources. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const dashes = argv.indexOf('--');
  const ownArgs = dashes < 0 ? argv : argv.slice(0, dashes);
  const [verb = 'list'] = ownArgs.filter((word) => !word.startsWith('-'));
  if (!sourceVerbs.includes(verb))
    return usageError('sources', `unknown command ${JSON.stringify(verb)}${didYouMean(verb, sourceVerbs)}`, io);
  if (verb === 'list' || verb === 'test') return listSources(ownArgs, verb === 'test', io);
  const loaded = await loadConfig({ env: io.env, argv: ownArgs, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const parsed = parseCommandLine('sources', loaded.rest, sourceOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [, id] = positionals;
  const file = loaded.file ?? resolve('toolgate.yaml');
  const registry = values.registry ?? loaded.config.mcp_registry?.url;
  if (verb === 'lookup' && id !== undefined && registry !== undefined)
    return lookUpServer(id, registry, loaded.config, io);
  if (verb === 'refresh' && id !== undefined)
    return requestRefresh(id, homeOf(io.env, loaded.config.state.directory).pins, io);
  if (verb === 'remove' && id !== undefined) {
    let found = false;
    const problems = changeSources(file, (sources) => (found = sources.delete(id)));
    if (!found || problems.length > 0)
      return reportProblems(found ? problems : [`unknown source ${JSON.stringify(id)}`], io);
    io.out(`removed    ${id}\n`);
    return 0;
  }
  if (verb !== 'add' || (id === undefined && values.from === undefined && values.registration === undefined)) {
    return usageError(
      'sources',
      verb === 'lookup' && id !== undefined
        ? 'no registry is configured; set mcp_registry.url or --registry'
        : `${verb} needs ${verb === 'add' ? 'a source id, --from or --registration' : verb === 'lookup' ? 'a server name' : 'a source id'}`,
      io,
    );
  }
  const args = dashes < 0 ? [] : argv.slice(dashes + 1);
  const given = parseAddArguments(id, values, args);
  return addSources(file, given.sources, given.problems, io);
}

function parseAddArguments(
  id: string | undefined,
  values: AddedServer & { readonly from?: string; readonly registration?: string },
  args: readonly string[],
): { readonly sources: readonly SourceEntry[]; readonly problems: readonly string[] } {
  if (values.from !== undefined || values.registration !== undefined) {
    const path = resolve(values.from ?? values.registration ?? '');
    let given: unknown;
    try {
      given = JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      return { sources: [], problems: [`cannot read ${path} as JSON`] };
    }
    if (values.from !== undefined) return fromClientFile(given);
    const one =
      typeof given === 'object' && given !== null
        ? fromRegistration(given as JsonObject, dirname(path))
        : { problems: ['the registration must be a JSON object'] };
    return 'problems' in one ? { sources: [], problems: one.problems } : { sources: [one], problems: [] };
  }
  return { sources: [{ id: id ?? '', entry: addedEntry(values, args) }], problems: [] };
}

function addSources(file: string, sources: readonly SourceEntry[], problems: readonly string[], io: Io): number {
  const remaining = [...problems];
  let count = 0;
  for (const { id, entry } of sources) {
    let taken = false;
    const fileProblems = changeSources(file, (all) => {
      taken = all.has(id);
      if (!taken) all.set(id, entry);
    });
    if (taken) remaining.push(`source ${JSON.stringify(id)} already exists; remove it first or choose another id`);
    else if (fileProblems.length > 0) remaining.push(...fileProblems);
    else {
      count += 1;
      io.out(`added      ${id}\n`);
    }
  }
  return remaining.length === 0 ? 0 : Math.max(reportProblems(remaining, io), count === 0 ? 1 : 0);
}

function reportProblems(problems: readonly string[], io: Io): number {
  for (const problem of problems) io.err(`toolgate: ${escapeInvisible(problem)}\n`);
  return 1;
}

async function lookUpServer(name: string, url: string, config: Config, io: Io): Promise<number> {
  if (!URL.canParse(url)) return reportProblems(['--registry must be a URL'], io);
  const registry = mcpRegistry(
    config,
    url,
    url === config.mcp_registry?.url ? config.mcp_registry.network_policy : undefined,
  );
  if (!registry)
    return reportProblems(
      ['the registry must use https or run on this machine, and a network policy must allow it'],
      io,
    );
  const entry = await registry.lookup(name);
  await registry.close();
  io.out(
    `${escapeInvisible(name)}  ${entry.verdict}${entry.verdict === 'listed' ? `, ${escapeInvisible(entry.status)}, ${entry.versions.map(escapeInvisible).join(' ')}` : entry.verdict === 'unknown' ? `: ${escapeInvisible(entry.why)}` : ''}\n`,
  );
  return entry.verdict === 'listed' ? 0 : 1;
}

/** Touches the pin file of a source, which running gateways watch. */
function requestRefresh(id: string, folder: string, io: Io): number {
  const files = pinFiles(folder);
  const book = files.read(id);
  if (!book)
    return reportProblems([`source ${JSON.stringify(id)} has never been connected; start the gateway first`], io);
  files.write({ ...book, askedAt: new Date().toISOString() });
  io.out(`asked      ${id}\n`);
  return 0;
}

async function listSources(argv: readonly string[], one: boolean, io: Io): Promise<number> {
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, rest } = local;
  try {
    const [, id] = rest.filter((word) => !word.startsWith('-'));
    const health = Object.entries(gate.registry.health()).filter(([source]) => id === undefined || source === id);
    if (one && id === undefined) return usageError('sources', 'test needs a source id', io);
    if (one && health.length === 0)
      return reportProblems([`unknown source ${JSON.stringify(id)}; toolgate sources list shows all`], io);
    const statuses = gate.gateway.statuses({ principal: localUser(gate.config()) });
    const withheld = gate.gateway.withheld();
    const rows = health.map(([source, { status, detail, sandbox }]) => ({
      source,
      status,
      ...(detail !== undefined && { detail }),
      ...(sandbox !== undefined && { sandbox }),
      tools: statuses.filter(({ tool }) => tool.source === source).map(({ tool }) => tool.name),
      ...admissionOf(gate.admission(source)),
      withheld: withheld.filter((item) => item.source === source).map(({ what, why }) => ({ what, why })),
    }));
    if (rest.includes('--json')) io.out(`${JSON.stringify({ sources: rows }, null, 2)}\n`);
    else
      for (const { source, status, detail, sandbox, tools, admission, withheld: left } of rows) {
        io.out(
          `${source.padEnd(24)} ${status.padEnd(10)} ${tools.length} tools${detail === undefined ? '' : `  ${escapeInvisible(detail)}`}\n`,
        );
        if (sandbox !== undefined) io.out(`  sandbox    ${sandbox}\n`);
        for (const line of admission === undefined ? [] : admissionLines(admission))
          io.out(`  ${escapeInvisible(line)}\n`);
        if (one) for (const tool of tools) io.out(`  ${tool}\n`);
        for (const { what, why } of left) io.out(`  withheld   ${escapeInvisible(what)}: ${escapeInvisible(why)}\n`);
      }
    return one && rows.some(({ status }) => status === 'unhealthy') ? 1 : 0;
  } finally {
    await gate.close(1_000);
  }
}

const maxListed = 5;

const admissionOf = (
  screening: AdmissionRecord | undefined,
): { readonly admission?: Omit<AdmissionRecord, 'source'> } => {
  if (!screening) return {};
  const { source: _, ...admission } = screening;
  return { admission };
};

/** Formats the admission decision on a source's code and its evidence. */
function admissionLines({
  decision,
  findings,
  unknown,
  tools,
  registry,
  differences,
}: Omit<AdmissionRecord, 'source'>): readonly string[] {
  const facts = [
    decision,
    ...(tools === undefined ? [] : [`${tools} tools in its code`]),
    ...(findings.length === 0 ? [] : [`${findings.length} findings`]),
    ...(registry ? [`registry: ${registry.verdict}`] : []),
  ];
  const differing = differences.filter(({ kind }) => kind !== 'not-live');
  return [
    `admission  ${facts.join(', ')}`,
    ...findings.slice(0, maxListed).map((finding) => `finding    ${finding}`),
    ...(findings.length > maxListed
      ? [`finding    and ${findings.length - maxListed} more; toolgate scan shows all`]
      : []),
    ...(unknown === undefined ? [] : [`unknown    ${unknown}`]),
    ...differing
      .slice(0, maxListed)
      .map(
        ({ kind, tool, severity, why }) =>
          `${kind === 'not-in-source' ? 'not in source' : 'differs'}  ${tool} (${severity}): ${why}`,
      ),
  ];
}
