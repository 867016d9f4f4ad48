import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { configFileName, userConfigFile } from '../../config/user-file.js';
import { failure, parseCommandLine, unexpectedArgument } from '../command-line.js';
import { makeFolder } from '../../lib/make-folder.js';
import type { Io } from '../io.js';

export const help = `Usage: toolgate init [--here | --config FILE] [--json]

Writes a commented configuration to start from. By default this is the user's file, which is used in every folder without a
toolgate.yaml.

  --here           toolgate.yaml in this folder, which is read before the user's
  --config FILE    this file
`;

const start = `# Configuration of Toolgate. Every key: docs/configuration.md. "toolgate check" checks this file; a running gateway follows it.

# Servers behind the gateway. "toolgate add <name>" adds one, "toolgate import" takes over those of your assistants.
sources: {}
#  time: { kind: mcp, runtime: uvx, package: "mcp-server-time==2026.7.10" }
#  files: { kind: mcp, runtime: npx, package: "@modelcontextprotocol/server-filesystem@2026.8.31", args: [/home/you/notes] }
#  search: { kind: mcp, url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer \${secret:SEARCH_TOKEN}" } }

# Built-in commands (ping, dig, nmap …); they reach private networks only.
commands:
  builtins: true

# Ask before tools that change or delete something.
# policy:
#   confirmation: { effects: [destructive] }
`;

/** Writes a configuration to start from. */
export function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('init', argv, { here: { type: 'boolean' }, config: { type: 'string' } }, io, []);
  if (parsed === undefined) return Promise.resolve(2);
  const { here, config } = parsed.values;
  const extra = unexpectedArgument('init', parsed.positionals, io);
  if (extra !== undefined) return Promise.resolve(extra);
  const file =
    config !== undefined ? resolve(config) : here === true ? resolve(configFileName) : userConfigFile(io.env);
  if (existsSync(file)) return Promise.resolve(failure('init', `${file} exists already and was not changed`, io));
  makeFolder(dirname(file));
  // `wx` fails if the file appeared since the check (TOCTOU); 0600 because secrets may be written into it.
  writeFileSync(file, start, { flag: 'wx', mode: 0o600 });
  io.out(parsed.values.json === true ? `${JSON.stringify({ file })}\n` : `${file}\n`);
  if (parsed.values.json !== true)
    io.err('Written. Next: toolgate add <name>, then toolgate connect <assistant> --write.\n');
  return Promise.resolve(0);
}
