import { join } from 'node:path';
import type { JsonObject } from '../../core/json.js';

/** How the assistant reaches the gateway: starts it over stdio, or connects over HTTP. */
export type Reach =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly transport: 'http'; readonly url: string };

/** Folders and environment that decide where an assistant keeps its configuration. */
export interface Places {
  readonly home: string;
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** An assistant: the path of its configuration file and the format of a server entry. */
interface ClientKind {
  readonly does: string;
  file(places: Places): string;
  /** Key of the object that holds the servers. */
  readonly member: string;
  /** Undefined if the assistant does not support this transport. */
  entry(reach: Reach): JsonObject | undefined;
  /** Further step the user has to take. */
  readonly note?: string;
}

const stdioEntry = ({ command, args }: Extract<Reach, { transport: 'stdio' }>): JsonObject => ({
  command,
  args: [...args],
});

/** Refers to the token by variable, since configuration files get copied, synced and committed. */
const bearerHeader = (variable: string): JsonObject => ({ Authorization: `Bearer ${variable}` });

/** Supported assistants; a new one is one entry. */
export const clients: Readonly<Record<string, ClientKind>> = {
  'claude-desktop': {
    does: 'Claude Desktop, for this user',
    file: ({ home, platform, env }) => {
      const folder =
        platform === 'darwin'
          ? join(home, 'Library', 'Application Support')
          : platform === 'win32'
            ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
            : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'));
      return join(folder, 'Claude', 'claude_desktop_config.json');
    },
    member: 'mcpServers',
    entry: (reach) => (reach.transport === 'stdio' ? stdioEntry(reach) : undefined),
    note: 'Restart Claude Desktop to pick up the change.',
  },
  'claude-code': {
    does: 'Claude Code, for this project',
    file: ({ project }) => join(project, '.mcp.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.transport === 'stdio'
        ? stdioEntry(reach)
        : { type: 'http', url: reach.url, headers: bearerHeader('${TOOLGATE_TOKEN}') },
  },
  cursor: {
    does: 'Cursor, for this user',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.transport === 'stdio'
        ? stdioEntry(reach)
        : { url: reach.url, headers: bearerHeader('${env:TOOLGATE_TOKEN}') },
  },
  vscode: {
    does: 'Visual Studio Code, for this project',
    file: ({ project }) => join(project, '.vscode', 'mcp.json'),
    member: 'servers',
    entry: (reach) =>
      reach.transport === 'stdio'
        ? { type: 'stdio', ...stdioEntry(reach) }
        : { type: 'http', url: reach.url, headers: bearerHeader('${env:TOOLGATE_TOKEN}') },
  },
  windsurf: {
    does: 'Windsurf, for this user',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.transport === 'stdio'
        ? stdioEntry(reach)
        : { serverUrl: reach.url, headers: bearerHeader('${env:TOOLGATE_TOKEN}') },
  },
  'gemini-cli': {
    does: 'Gemini CLI, for this user',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.transport === 'stdio'
        ? stdioEntry(reach)
        : { httpUrl: reach.url, headers: bearerHeader('$TOOLGATE_TOKEN') },
  },
};
