import { loadConfig } from '../config/load.js';
import { settingsHelp } from '../config/layers.js';
import { noteLine } from '../config/problem.js';
import { escapeInvisible } from '../lib/escape-invisible.js';
import { describeSystemError } from '../lib/system-error.js';
import { log as makeLog } from '../observe/log.js';
import type { Serving } from '../serve.js';
import { serve } from '../serve.js';
import { didYouMean, reportConfigProblems, settingFlags, usageError } from './command-line.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate serve [--http | --stdio] [options]

Runs the gateway. Over HTTP it listens on 127.0.0.1:8080 and requires the token, whose file it prints; over stdio it serves
the assistant that started it. Without a configuration file it serves the built-in tools with safe defaults.

Options and the environment variables of the same meaning:
${settingsHelp()}
`;

/** Runs the gateway until a signal arrives or the stdio client disconnects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const cwd = process.cwd();
  const loaded = await loadConfig({ env: io.env, argv, cwd });
  if (!loaded.ok) return reportConfigProblems(loaded.problems, io);
  if (loaded.rest.length > 0) {
    const [word = ''] = loaded.rest;
    return usageError(
      'serve',
      word.startsWith('-')
        ? `unknown option ${word}${didYouMean(word, settingFlags)}`
        : `unexpected argument ${JSON.stringify(word)}`,
      io,
    );
  }
  const { config } = loaded;
  const log = makeLog({ level: config.log.level, format: config.log.format, colour: process.stderr.isTTY === true });
  let serving: Serving;
  try {
    serving = await serve({ loaded, env: io.env, argv, cwd, log });
  } catch (error) {
    if (!isListenError(error)) throw error;
    const { host, port } = config.server;
    io.err(
      `toolgate serve: cannot listen on ${host}:${port}: ${describeSystemError(error)}; set another address with --host or --port\n`,
    );
    return 1;
  }
  if (serving.url !== undefined) io.out(banner(serving, loaded.notes.map(noteLine)));
  const reload = (): void => void serving.reload();
  process.on('SIGHUP', reload);
  await Promise.race([untilAborted(io.signal), serving.ended]);
  process.off('SIGHUP', reload);
  await serving.stop();
  return 0;
}

/** Whether the listener could not be opened, as opposed to any other failure of the start. */
const isListenError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind');

const untilAborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });

function banner({ gate, url, tokenFile, home }: Serving, notes: readonly string[]): string {
  const statuses = gate.gateway.statuses({
    principal: { id: 'local', name: 'local', kind: 'local', roles: ['admin'] },
  });
  const ready = statuses.filter(({ tool, enabled }) => tool.unavailable === undefined && enabled);
  const missing = statuses.filter(({ tool }) => tool.unavailable !== undefined);
  const withheld = gate.gateway.withheld();
  const first = ready.find(({ tool }) => tool.name === 'ping') ?? ready[0];
  const lines = [
    `Toolgate listens on ${url}`,
    `  token      ${tokenFile}`,
    `  audit      ${home.audit}`,
    `  ready      ${ready.map(({ tool }) => tool.name).join(', ') || 'no tools'}`,
    ...missing.map(
      ({ tool }) =>
        `  not ready  ${tool.name}: ${tool.unavailable?.message ?? ''}${tool.unavailable?.hint === undefined ? '' : `. ${tool.unavailable.hint}`}`,
    ),
    ...withheld.map(({ what, why }) => `  withheld   ${escapeInvisible(what)}: ${escapeInvisible(why)}`),
    ...notes.map((note) => `  note       ${note}`),
    '',
    ...(first === undefined
      ? []
      : [
          'Try it:',
          `  curl -s -H "Authorization: Bearer $(cat ${tokenFile})" -H 'Content-Type: application/json' \\`,
          `    -d '{"target":"127.0.0.1"}' ${url}/tools/${first.tool.name}/execute`,
          '',
          `MCP clients connect to ${url}${gate.config().server.mcp_path} with the same header.`,
        ]),
    '',
  ];
  return `${lines.join('\n')}\n`;
}
