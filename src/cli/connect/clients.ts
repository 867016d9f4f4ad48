import { join } from 'node:path';
import type { JsonObject } from '../../core/json.js';

/** How the gateway is reached: started by the assistant, or listening already. */
export type Reach =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string };

export interface Places {
  readonly home: string;
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** One assistant: where its configuration lies and how an entry in it looks. */
export interface ClientKind {
  readonly does: string;
  file(places: Places): string;
  /** The member that holds the servers. */
  readonly member: string;
  /** Undefined where the assistant cannot connect that way. */
  entry(reach: Reach): JsonObject | undefined;
  /** What has to be done besides. */
  readonly note?: string;
}

const started = ({ command, args }: Extract<Reach, { kind: 'stdio' }>): JsonObject => ({ command, args: [...args] });

/** The token is named, never written: a configuration file is copied, synced and committed. */
const bearer = (variable: string): JsonObject => ({ Authorization: `Bearer ${variable}` });

/** Every assistant we can write for; a new one is one entry. */
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
    entry: (reach) => (reach.kind === 'stdio' ? started(reach) : undefined),
    note: 'Restart Claude Desktop to have it seen.',
  },
  'claude-code': {
    does: 'Claude Code, for this project',
    file: ({ project }) => join(project, '.mcp.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.kind === 'stdio' ? started(reach) : { type: 'http', url: reach.url, headers: bearer('${TOOLGATE_TOKEN}') },
  },
  cursor: {
    does: 'Cursor, for this user',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.kind === 'stdio' ? started(reach) : { url: reach.url, headers: bearer('${env:TOOLGATE_TOKEN}') },
  },
  vscode: {
    does: 'Visual Studio Code, for this project',
    file: ({ project }) => join(project, '.vscode', 'mcp.json'),
    member: 'servers',
    entry: (reach) =>
      reach.kind === 'stdio'
        ? { type: 'stdio', ...started(reach) }
        : { type: 'http', url: reach.url, headers: bearer('${env:TOOLGATE_TOKEN}') },
  },
  windsurf: {
    does: 'Windsurf, for this user',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.kind === 'stdio' ? started(reach) : { serverUrl: reach.url, headers: bearer('${env:TOOLGATE_TOKEN}') },
  },
  'gemini-cli': {
    does: 'Gemini CLI, for this user',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    member: 'mcpServers',
    entry: (reach) =>
      reach.kind === 'stdio' ? started(reach) : { httpUrl: reach.url, headers: bearer('$TOOLGATE_TOKEN') },
  },
};
