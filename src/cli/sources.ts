import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import type { JsonObject } from '../core/json.js';
import { visible } from '../lib/visible.js';
import type { Config } from '../config/schema.js';
import { mcpRegistry } from '../serve/mcp-registry.js';
import type { Screening } from '../serve/screening/evidence.js';
import { homeOf } from '../serve/home.js';
import { pinFiles } from '../serve/pin-files.js';
import { fromClientFile } from '../sources/mcp/client-files.js';
import { fromRegistration, type Registered } from '../sources/mcp/registration.js';
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
     each with [--config file]

  list      shows where tools come from, how each source stands, what its code was found to be and what was left out
  test      connects to one source and shows what it offers
  refresh   has a running gateway ask the source again
  add       writes a source into the configuration file, in one of its forms or from a client's file
  remove    takes it out again; its pins are kept
  lookup    asks an MCP registry, the configured one unless told, whether it knows a server of this name

Sources are added here and in the file only: nothing that comes over the network can add one.
`;

/** Shows and changes where tools come from. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const [verb = 'list'] = own.filter((word) => !word.startsWith('-'));
  if (verb === 'list' || verb === 'test') return listed(own, verb === 'test', io);
  const loaded = await load({ env: io.env, argv: own, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
    return 1;
  }
  const { values, positionals } = parseArgs({
    args: [...loaded.rest],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      registration: { type: 'string' },
      url: { type: 'string' },
      package: { type: 'string' },
      runtime: { type: 'string' },
      command: { type: 'string' },
      registry: { type: 'string' },
    },
  });
  const [, id] = positionals;
  const file = loaded.file ?? resolve('toolgate.yaml');
  const registry = values.registry ?? loaded.config.mcp_registry?.url;
  if (verb === 'lookup' && id !== undefined && registry !== undefined) return lookedUp(id, registry, loaded.config, io);
  if (verb === 'refresh' && id !== undefined)
    return refreshed(id, homeOf(io.env, loaded.config.state.directory).pins, io);
  if (verb === 'remove' && id !== undefined) {
    let found = false;
    const problems = changeSources(file, (sources) => (found = sources.delete(id)));
    if (!found || problems.length > 0) return told(found ? problems : [`there is no source ${JSON.stringify(id)}`], io);
    io.out(`removed    ${id}\n`);
    return 0;
  }
  if (verb !== 'add' || (id === undefined && values.from === undefined && values.registration === undefined)) {
    io.err(help);
    return 2;
  }
  const args = dashes < 0 ? [] : argv.slice(dashes + 1);
  const given = wanted(id, values, args);
  return added(file, given.sources, given.problems, io);
}

function wanted(
  id: string | undefined,
  values: {
    readonly from?: string;
    readonly registration?: string;
    readonly url?: string;
    readonly package?: string;
    readonly runtime?: string;
    readonly command?: string;
  },
  args: readonly string[],
): { readonly sources: readonly Registered[]; readonly problems: readonly string[] } {
  if (values.from !== undefined || values.registration !== undefined) {
    const path = resolve(values.from ?? values.registration ?? '');
    let given: unknown;
    try {
      given = JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      return { sources: [], problems: ['the file cannot be read as JSON'] };
    }
    if (values.from !== undefined) return fromClientFile(given);
    const one =
      typeof given === 'object' && given !== null
        ? fromRegistration(given as JsonObject, dirname(path))
        : { problems: ['the registration must be an object'] };
    return 'problems' in one ? { sources: [], problems: one.problems } : { sources: [one], problems: [] };
  }
  const entry: JsonObject = {
    kind: 'mcp',
    ...(values.url !== undefined && { url: values.url }),
    ...(values.package !== undefined && { runtime: values.runtime ?? 'npx', package: values.package }),
    ...(values.command !== undefined && { command: values.command }),
    ...(args.length > 0 && { args }),
  };
  return { sources: [{ id: id ?? '', entry }], problems: [] };
}

function added(file: string, sources: readonly Registered[], problems: readonly string[], io: Io): number {
  const left = [...problems];
  let count = 0;
  for (const { id, entry } of sources) {
    let taken = false;
    const wrong = changeSources(file, (all) => {
      taken = all.has(id);
      if (!taken) all.set(id, entry);
    });
    if (taken) left.push(`${id}: there is a source of this name already`);
    else if (wrong.length > 0) left.push(...wrong);
    else {
      count += 1;
      io.out(`added      ${id}\n`);
    }
  }
  return left.length === 0 ? 0 : Math.max(told(left, io), count === 0 ? 1 : 0);
}

function told(problems: readonly string[], io: Io): number {
  for (const problem of problems) io.err(`toolgate: ${visible(problem)}\n`);
  return 1;
}

async function lookedUp(name: string, url: string, config: Config, io: Io): Promise<number> {
  if (!URL.canParse(url)) return told(['--registry must be an address'], io);
  const registry = mcpRegistry(
    config,
    url,
    url === config.mcp_registry?.url ? config.mcp_registry.network_policy : undefined,
  );
  if (!registry)
    return told(['there is no network policy to reach it by, or it is neither https nor on this machine'], io);
  const known = await registry.lookup(name);
  await registry.close();
  io.out(
    `${visible(name)}  ${known.verdict}${known.verdict === 'listed' ? `, ${visible(known.status)}, ${known.versions.map(visible).join(' ')}` : known.verdict === 'unknown' ? `: ${visible(known.why)}` : ''}\n`,
  );
  return known.verdict === 'listed' ? 0 : 1;
}

/** Writing to the pins is what a running gateway hears. */
function refreshed(id: string, folder: string, io: Io): number {
  const files = pinFiles(folder);
  const book = files.read(id);
  if (!book) return told([`nothing is known of a source ${JSON.stringify(id)} yet`], io);
  files.write({ ...book, askedAt: new Date().toISOString() });
  io.out(`asked      ${id}\n`);
  return 0;
}

async function listed(argv: readonly string[], one: boolean, io: Io): Promise<number> {
  const opened = await localGate(argv, io);
  if (!opened.ok) return 1;
  const { gate, rest } = opened;
  try {
    const [, id] = rest.filter((word) => !word.startsWith('-'));
    const health = Object.entries(gate.registry.health()).filter(([source]) => id === undefined || source === id);
    if (one && (id === undefined || health.length === 0))
      return told([`there is no source ${JSON.stringify(id ?? '')}`], io);
    const statuses = gate.gateway.statuses({ principal: localUser(gate.config()) });
    const withheld = gate.gateway.withheld();
    const rows = health.map(([source, { status, detail }]) => ({
      source,
      status,
      ...(detail !== undefined && { detail }),
      tools: statuses.filter(({ tool }) => tool.source === source).map(({ tool }) => tool.name),
      ...admissionOf(gate.screening(source)),
      withheld: withheld.filter((item) => item.source === source).map(({ what, why }) => ({ what, why })),
    }));
    if (rest.includes('--json')) io.out(`${JSON.stringify({ sources: rows }, null, 2)}\n`);
    else
      for (const { source, status, detail, tools, admission, withheld: left } of rows) {
        io.out(
          `${source.padEnd(24)} ${status.padEnd(10)} ${tools.length} tools${detail === undefined ? '' : `  ${visible(detail)}`}\n`,
        );
        for (const line of admission === undefined ? [] : admissionLines(admission)) io.out(`  ${visible(line)}\n`);
        if (one) for (const tool of tools) io.out(`  ${tool}\n`);
        for (const { what, why } of left) io.out(`  withheld   ${visible(what)}: ${visible(why)}\n`);
      }
    return one && rows.some(({ status }) => status === 'unhealthy') ? 1 : 0;
  } finally {
    await gate.close(1_000);
  }
}

const maxShown = 5;

const admissionOf = (screening: Screening | undefined): { readonly admission?: Omit<Screening, 'source'> } => {
  if (!screening) return {};
  const { source: _, ...admission } = screening;
  return { admission };
};

/** The verdict about a source's code and what it rests on, for a terminal. */
function admissionLines({
  decision,
  findings,
  unknown,
  tools,
  registry,
  differences,
}: Omit<Screening, 'source'>): readonly string[] {
  const facts = [
    decision,
    ...(tools === undefined ? [] : [`${tools} tools in its code`]),
    ...(findings.length === 0 ? [] : [`${findings.length} findings`]),
    ...(registry ? [`registry: ${registry.verdict}`] : []),
  ];
  const differing = differences.filter(({ kind }) => kind !== 'not-live');
  return [
    `admission  ${facts.join(', ')}`,
    ...findings.slice(0, maxShown).map((finding) => `finding    ${finding}`),
    ...(findings.length > maxShown
      ? [`finding    and ${findings.length - maxShown} more; toolgate scan shows all`]
      : []),
    ...(unknown === undefined ? [] : [`unknown    ${unknown}`]),
    ...differing
      .slice(0, maxShown)
      .map(
        ({ kind, tool, severity, why }) =>
          `${kind === 'not-in-source' ? 'not in source' : 'differs'}  ${tool} (${severity}): ${why}`,
      ),
  ];
}
