import { environmentLayer, flagsLayer, settingsHelp } from '../../config/layers.js';
import { parseCommandLine, reportConfigProblems, unexpectedArgument, usageError } from '../command-line.js';
import type { Io } from '../io.js';
import type { GateMode } from '../serve-gate.js';

export const help = `Usage: toolgate serve [--http | --stdio [--alone]] [options]

Runs the gateway. Over HTTP it listens on 127.0.0.1:8080 and requires the token, whose file it prints. Over stdio it serves the
assistant that started it: it attaches to the running gate of this home and configuration, or starts one in the background, so that
all assistants share one set of servers, approvals and limits. The gate in the background ends ten minutes after its last client.
Without a configuration file it serves the built-in tools with safe defaults.

  --alone            over stdio: a separate gate in this process, which ends with the assistant
  --json             over HTTP: print address and token file as one line of JSON

Options and the environment variables of the same meaning:
${settingsHelp()}
`;

/** Options of this verb; the last two are set by the gateway itself. */
const serveOptions = {
  alone: { type: 'boolean' },
  background: { type: 'boolean' },
  replaces: { type: 'string' },
} as const;
/** Flags that a reload does not read. */
const ownFlags = ['--alone', '--background', '--replaces', '--json'];

/** Runs the gateway until a signal arrives or the stdio client disconnects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const flags = flagsLayer(argv);
  const parsed = parseCommandLine('serve', flags.rest, serveOptions, io);
  if (parsed === undefined) return 2;
  const { replaces, alone, background: isBackground = false } = parsed.values;
  const extra = unexpectedArgument('serve', parsed.positionals, io);
  if (extra !== undefined) return extra;
  if (argv.includes('--http') && argv.includes('--stdio')) return usageError('serve', 'choose --http or --stdio', io);
  const isShared = alone !== true && !isBackground && process.platform !== 'win32';
  const transport = flags.values.get('server.transport') ?? environmentLayer(io.env).values.get('server.transport');
  // Known without the file: an assistant waits, and loading the configuration takes longer than attaching.
  if (isShared && transport === 'stdio') return attach(argv, io);
  const { loadConfig } = await import('../../config/load.js');
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  const isStdio = loaded.config.server.transport === 'stdio';
  if (isShared && isStdio) return attach(argv, io);
  const mode: GateMode = {
    mode: isBackground ? 'background' : isStdio ? 'alone' : 'http',
    ...(replaces !== undefined && { replaces }),
  };
  const { serveGate } = await import('../serve-gate.js');
  return serveGate(loaded, withoutOwnFlags(argv, replaces), mode, io);
}

/** Attaches an assistant to the shared gate; loaded on demand, because it is the shortest path. */
const attach = async (argv: readonly string[], io: Io): Promise<number> =>
  (await import('../attach/attach.js')).attachAssistant(argv, io);

/** The command line as a reload reads it. */
const withoutOwnFlags = (argv: readonly string[], replaces: string | undefined): readonly string[] =>
  argv.filter((word) => !ownFlags.includes(word) && word !== replaces);
