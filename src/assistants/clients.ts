import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentFormat } from './document.js';
import {
  codexEntry,
  commonEntry,
  continueEntry,
  gooseEntry,
  opencodeEntry,
  stdioOnly,
  zedEntry,
  type EntryFormat,
} from './entry-formats.js';
import { appData, codeExtension, codeUser, dotConfig, type Places } from './places.js';

/** For whom an entry counts: all projects of this user, everyone in a project, or this user in one project. */
export const scopes = ['user', 'project', 'local'] as const;
/** One of `scopes`. */
export type Scope = (typeof scopes)[number];

/** A file and the keys that lead to its servers. */
export interface ServersPlace {
  readonly file: string;
  readonly member: readonly string[];
}

/** An assistant: its files by scope, the first one being the default, and the format of a server entry. */
export interface AssistantKind {
  readonly title: string;
  readonly format: DocumentFormat;
  readonly scopes: Readonly<Partial<Record<Scope, (places: Places) => ServersPlace>>>;
  /** Servers are a list with names inside, in place of an object by name. */
  readonly isList?: boolean;
  readonly entry: EntryFormat;
  /** Files and folders that exist if the assistant is installed. */
  traces(places: Places): readonly string[];
  /** Further step the user has to take. */
  readonly note?: string;
  /** Started from a menu, so that variables of a shell do not reach it. */
  readonly isDesktop?: boolean;
}

/** Place of servers under one key of a file. */
const servers =
  (member: string, file: (places: Places) => string): ((places: Places) => ServersPlace) =>
  (places) => ({ file: file(places), member: [member] });

/** The key that most clients use. */
const mcpServers = (file: (places: Places) => string) => servers('mcpServers', file);
/** A file below the home folder. */
const inHome =
  (...path: readonly string[]) =>
  ({ home }: Places): string =>
    join(home, ...path);
/** A file below the project folder. */
const inProject =
  (...path: readonly string[]) =>
  ({ project }: Places): string =>
    join(project, ...path);

/** The file with the ending `.jsonc` if that one exists. */
const jsonOrJsonc = (file: string): string => (existsSync(`${file}c`) ? `${file}c` : file);

/** Supported assistants; a new one is one entry. */
export const clients: Readonly<Record<string, AssistantKind>> = {
  'claude-desktop': {
    title: 'Claude Desktop',
    format: 'json',
    scopes: { user: mcpServers((places) => join(appData(places), 'Claude', 'claude_desktop_config.json')) },
    entry: stdioOnly,
    traces: (places) => [join(appData(places), 'Claude')],
    note: 'Restart Claude Desktop to pick up the change.',
    isDesktop: true,
  },
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    scopes: {
      project: mcpServers(inProject('.mcp.json')),
      user: mcpServers(inHome('.claude.json')),
      local: ({ home, project }) => ({ file: join(home, '.claude.json'), member: ['projects', project, 'mcpServers'] }),
    },
    entry: commonEntry({ variable: '${TOOLGATE_TOKEN}', httpType: 'http' }),
    traces: ({ home }) => [join(home, '.claude.json'), join(home, '.claude')],
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    scopes: { user: mcpServers(inHome('.cursor', 'mcp.json')), project: mcpServers(inProject('.cursor', 'mcp.json')) },
    entry: commonEntry({ variable: '${env:TOOLGATE_TOKEN}' }),
    traces: ({ home }) => [join(home, '.cursor')],
    isDesktop: true,
  },
  vscode: {
    title: 'Visual Studio Code',
    format: 'json',
    scopes: {
      project: servers('servers', inProject('.vscode', 'mcp.json')),
      user: servers('servers', (places) => join(codeUser(places), 'mcp.json')),
    },
    entry: commonEntry({ variable: '${env:TOOLGATE_TOKEN}', stdioType: 'stdio', httpType: 'http' }),
    traces: (places) => [codeUser(places)],
    isDesktop: true,
  },
  windsurf: {
    title: 'Windsurf',
    format: 'json',
    scopes: { user: mcpServers(inHome('.codeium', 'windsurf', 'mcp_config.json')) },
    entry: commonEntry({ variable: '${env:TOOLGATE_TOKEN}', urlKey: 'serverUrl' }),
    traces: ({ home }) => [join(home, '.codeium', 'windsurf')],
    isDesktop: true,
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    format: 'json',
    scopes: {
      user: mcpServers(inHome('.gemini', 'settings.json')),
      project: mcpServers(inProject('.gemini', 'settings.json')),
    },
    entry: commonEntry({ variable: '$TOOLGATE_TOKEN', urlKey: 'httpUrl' }),
    traces: ({ home }) => [join(home, '.gemini')],
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    scopes: {
      user: servers('mcp_servers', ({ home, env }) => join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')),
      project: servers('mcp_servers', inProject('.codex', 'config.toml')),
    },
    entry: codexEntry,
    traces: ({ home, env }) => [env['CODEX_HOME'] ?? join(home, '.codex')],
  },
  zed: {
    title: 'Zed',
    format: 'json',
    scopes: {
      user: servers('context_servers', (places) =>
        places.platform === 'win32'
          ? join(appData(places), 'Zed', 'settings.json')
          : join(dotConfig(places), 'zed', 'settings.json'),
      ),
      project: servers('context_servers', inProject('.zed', 'settings.json')),
    },
    entry: zedEntry,
    traces: (places) => [join(dotConfig(places), places.platform === 'win32' ? 'Zed' : 'zed')],
    isDesktop: true,
  },
  cline: {
    title: 'Cline',
    format: 'json',
    scopes: {
      user: mcpServers((places) => codeExtension(places, 'saoudrizwan.claude-dev', 'cline_mcp_settings.json')),
    },
    entry: stdioOnly,
    traces: (places) => [join(codeUser(places), 'globalStorage', 'saoudrizwan.claude-dev')],
    isDesktop: true,
  },
  roo: {
    title: 'Roo Code',
    format: 'json',
    scopes: {
      user: mcpServers((places) => codeExtension(places, 'rooveterinaryinc.roo-cline', 'mcp_settings.json')),
      project: mcpServers(inProject('.roo', 'mcp.json')),
    },
    entry: commonEntry({ variable: '${env:TOOLGATE_TOKEN}', httpType: 'streamable-http' }),
    traces: (places) => [join(codeUser(places), 'globalStorage', 'rooveterinaryinc.roo-cline')],
    isDesktop: true,
  },
  continue: {
    title: 'Continue',
    format: 'yaml',
    scopes: { user: mcpServers(inHome('.continue', 'config.yaml')) },
    isList: true,
    entry: continueEntry,
    traces: ({ home }) => [join(home, '.continue')],
    isDesktop: true,
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    scopes: {
      user: servers('mcp', (places) => jsonOrJsonc(join(dotConfig(places), 'opencode', 'opencode.json'))),
      project: servers('mcp', ({ project }) => jsonOrJsonc(join(project, 'opencode.json'))),
    },
    entry: opencodeEntry,
    traces: (places) => [join(dotConfig(places), 'opencode')],
  },
  jetbrains: {
    title: 'JetBrains Junie',
    format: 'json',
    scopes: {
      user: mcpServers(inHome('.junie', 'mcp', 'mcp.json')),
      project: mcpServers(inProject('.junie', 'mcp', 'mcp.json')),
    },
    entry: stdioOnly,
    traces: ({ home }) => [join(home, '.junie')],
    isDesktop: true,
  },
  goose: {
    title: 'Goose',
    format: 'yaml',
    scopes: {
      user: servers('extensions', (places) =>
        places.platform === 'win32'
          ? join(appData(places), 'Block', 'goose', 'config', 'config.yaml')
          : join(dotConfig(places), 'goose', 'config.yaml'),
      ),
    },
    entry: gooseEntry,
    traces: (places) => [join(dotConfig(places), places.platform === 'win32' ? 'Block' : 'goose')],
  },
  kiro: {
    title: 'Kiro',
    format: 'json',
    scopes: {
      user: mcpServers(inHome('.kiro', 'settings', 'mcp.json')),
      project: mcpServers(inProject('.kiro', 'settings', 'mcp.json')),
    },
    entry: commonEntry({ variable: '${TOOLGATE_TOKEN}' }),
    traces: ({ home }) => [join(home, '.kiro')],
    isDesktop: true,
  },
  'lm-studio': {
    title: 'LM Studio',
    format: 'json',
    scopes: { user: mcpServers(inHome('.lmstudio', 'mcp.json')) },
    entry: stdioOnly,
    traces: ({ home }) => [join(home, '.lmstudio')],
    isDesktop: true,
  },
  'copilot-cli': {
    title: 'GitHub Copilot CLI',
    format: 'json',
    scopes: { user: mcpServers(inHome('.copilot', 'mcp-config.json')) },
    entry: commonEntry({ variable: '${TOOLGATE_TOKEN}', stdioType: 'local', httpType: 'http', more: { tools: ['*'] } }),
    traces: ({ home }) => [join(home, '.copilot')],
  },
  'amazon-q': {
    title: 'Amazon Q Developer CLI',
    format: 'json',
    scopes: {
      user: mcpServers(inHome('.aws', 'amazonq', 'mcp.json')),
      project: mcpServers(inProject('.amazonq', 'mcp.json')),
    },
    entry: stdioOnly,
    traces: ({ home }) => [join(home, '.aws', 'amazonq')],
  },
  'qwen-code': {
    title: 'Qwen Code',
    format: 'json',
    scopes: {
      user: mcpServers(inHome('.qwen', 'settings.json')),
      project: mcpServers(inProject('.qwen', 'settings.json')),
    },
    entry: commonEntry({ variable: '$TOOLGATE_TOKEN', urlKey: 'httpUrl' }),
    traces: ({ home }) => [join(home, '.qwen')],
  },
};

/** Scopes of an assistant, the default first. */
export const scopesOf = (client: AssistantKind): readonly Scope[] =>
  // The keys of `scopes` are scopes by its type.
  Object.keys(client.scopes) as readonly Scope[];
