import { load } from '../config/load.js';
import { settingsHelp } from '../config/layers.js';
import { noteLine, problemLine } from '../config/problem.js';
import { visible } from '../lib/visible.js';
import { log as makeLog } from '../observe/log.js';
import type { Serving } from '../serve.js';
import { serve } from '../serve.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate serve [--http | --stdio] [options]

Runs the gateway. Over HTTP it listens on 127.0.0.1:8080 and asks for the token whose file it prints; over stdio it serves
the assistant that started it. Without a configuration file the built-in tools are served with safe defaults.

Options, each with the environment variable that does the same:
${settingsHelp()}
`;

/** Runs the gateway until it is told to stop. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const cwd = process.cwd();
  const loaded = await load({ env: io.env, argv, cwd });
  if (!loaded.ok) {
    io.err(
      `toolgate: the configuration cannot be used\n${loaded.problems.map((problem) => `  ${problemLine(problem)}\n`).join('')}`,
    );
    return 1;
  }
  if (loaded.rest.length > 0) {
    io.err(`toolgate serve: what is ${loaded.rest.join(' ')}? toolgate serve --help tells the options\n`);
    return 2;
  }
  const { config } = loaded;
  const log = makeLog({ level: config.log.level, format: config.log.format, colour: process.stderr.isTTY === true });
  const serving = await serve({ loaded, env: io.env, argv, cwd, log });
  if (serving.url !== undefined) io.out(banner(serving, loaded.notes.map(noteLine)));
  await Promise.race([stopped(io.signal), serving.ended]);
  await serving.stop();
  return 0;
}

const stopped = (signal: AbortSignal): Promise<void> =>
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
    `  ready      ${ready.map(({ tool }) => tool.name).join(', ') || 'nothing'}`,
    ...missing.map(
      ({ tool }) =>
        `  not ready  ${tool.name}: ${tool.unavailable?.message ?? ''}${tool.unavailable?.hint === undefined ? '' : `. ${tool.unavailable.hint}`}`,
    ),
    ...withheld.map(({ what, why }) => `  withheld   ${visible(what)}: ${visible(why)}`),
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
