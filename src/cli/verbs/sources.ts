import { flagsLayer } from '../../config/layers.js';
import { loadConfig } from '../../config/load.js';
import { userConfigFile } from '../../config/user-file.js';
import { openStores } from '../../cluster/stores.js';
import type { Config } from '../../config/schema.js';
import { homeOf } from '../../serve/home.js';
import { didYouMean, parseCommandLine, reportConfigProblems, unexpectedArgument, usageError } from '../command-line.js';
import { runningGate } from '../gate-client.js';
import type { Io } from '../io.js';
import { listSources } from '../sources/list.js';
import { lookUpServer } from '../sources/lookup.js';
import { addSources, reportProblems } from '../servers/sources-add.js';
import { presentSources } from '../servers/target-file.js';
import { changeSources } from '../sources-file.js';
import { renewSource, testSource } from '../sources/test.js';

export const help = `Usage: toolgate sources list
       toolgate sources test <id>
       toolgate sources refresh <id>
       toolgate sources add <id> --url <address> | --package <name[@version]> [--runtime npx|uvx] | --command <program> [-- args ...]
       toolgate sources add --from <mcpServers file> | --registration <file>
         with [--no-test]
       toolgate sources remove <id>
       toolgate sources lookup <server name> [--registry <address>]
     all with [--json] [--config file] [--home folder]

  list      shows the sources: state (installing, scanning, starting, ready, retrying), tools, the admission decision on their code,
            and withheld definitions
  test      installs, scans, starts and lists one source, with a line per phase and without a time limit
  refresh   lists a source again
  add       tries a server and then adds it to the configuration file: from options, from the configuration of an MCP client, or
            from a registration; --no-test writes it without starting it. Versions are pinned, literal secrets go to the secret store
  remove    removes a source from the file; its pins are kept
  lookup    looks up a server by name in an MCP registry (default: the configured one)

list, test and refresh use the running gate of this configuration and name it; without one, or with --alone, sources are started here.
Sources can only be added here and in the file, never over the network.
`;

/** Commands of this verb. */
const sourceCommands = ['list', 'test', 'refresh', 'add', 'remove', 'lookup'] as const;
/** What each command takes beside its options. */
const takes: Readonly<Record<(typeof sourceCommands)[number], string>> = {
  list: '',
  test: 'a source id',
  refresh: 'a source id',
  add: 'a source id, --from or --registration',
  remove: 'a source id',
  lookup: 'a server name',
};
/** Options of all commands. */
const sourceOptions = {
  'no-test': { type: 'boolean' },
  from: { type: 'string' },
  registration: { type: 'string' },
  url: { type: 'string' },
  package: { type: 'string' },
  runtime: { type: 'string' },
  command: { type: 'string' },
  registry: { type: 'string' },
  alone: { type: 'boolean' },
} as const;

/** Lists, tests, adds and removes sources. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const parsed = parseCommandLine('sources', flagsLayer(own).rest, sourceOptions, io);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const [word = 'list', id, ...more] = positionals;
  const command = sourceCommands.find((each) => each === word);
  if (command === undefined)
    return usageError('sources', `unknown command ${JSON.stringify(word)}${didYouMean(word, sourceCommands)}`, io);
  const extra = unexpectedArgument('sources', command === 'list' ? positionals.slice(1) : more, io);
  if (extra !== undefined) return extra;
  if (command === 'list') return listSources(own, io);
  const isFromFile = command === 'add' && (values.from !== undefined || values.registration !== undefined);
  if (id === undefined && !isFromFile) return usageError('sources', `${command} needs ${takes[command]}`, io);
  const name = id ?? '';
  if (command === 'add') {
    const { configFile, values: settings } = flagsLayer(own);
    const home = settings.get('state.directory');
    return addSources(
      id,
      {
        ...values,
        ...(configFile !== undefined && { config: configFile }),
        ...(typeof home === 'string' && { home }),
      },
      dashes < 0 ? [] : argv.slice(dashes + 1),
      io,
    );
  }
  if (command === 'test') return testSource(name, own, io);
  if (command === 'refresh') {
    const running = await runningGate(own, io);
    if (running !== undefined) return renewSource('refresh', name, running, io);
  }
  const loaded = await loadConfig({ env: io.env, argv: own, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  // Without a file the user's own is changed.
  const file = loaded.file ?? userConfigFile(io.env);
  if (command === 'remove') return removeSource(file, name, io);
  if (command === 'refresh') return requestRefresh(name, loaded.config, io);
  const registry = values.registry ?? loaded.config.mcp_registry?.url;
  return registry === undefined
    ? usageError('sources', 'no registry is configured; set mcp_registry.url or --registry', io)
    : lookUpServer(name, registry, loaded.config, io);
}

/** Removes a source from the file. */
function removeSource(file: string, id: string, io: Io): number {
  const ids = [...presentSources(file)];
  if (!ids.includes(id))
    return reportProblems([`unknown source ${JSON.stringify(id)}${didYouMean(id, ids)} (in ${file})`], io);
  const problems = changeSources(file, (sources) => void sources.delete(id));
  if (problems.length > 0) return reportProblems(problems, io);
  io.out(io.json === true ? `${JSON.stringify({ file, removed: id })}\n` : `removed    ${id}\n`);
  return 0;
}

/** Touches the pins of a source, which gateways without a socket (serve --stdio --alone) and other replicas watch. */
async function requestRefresh(id: string, config: Config, io: Io): Promise<number> {
  const stores = await openStores(config, io.env, homeOf(io.env, config.state.directory));
  try {
    const pins = await stores.pins();
    const asked = await pins.update(id, (book) => book && { ...book, askedAt: new Date().toISOString() });
    if (!asked)
      return reportProblems([`source ${JSON.stringify(id)} has never been connected; start the gateway first`], io);
    io.out(io.json === true ? `${JSON.stringify({ asked: id })}\n` : `asked      ${id}\n`);
    return 0;
  } finally {
    await stores.close();
  }
}
