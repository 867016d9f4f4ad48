import type { JsonObject } from '../core/json.js';
import { isPlainObject } from './plain-object.js';

/** How the assistant reaches the gateway: starts it over stdio, or connects over HTTP. */
export type Reach =
  | { readonly transport: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly transport: 'http'; readonly url: string };

/** Format of a server entry in the file of an assistant. */
export interface EntryFormat {
  /** The entry of the gateway; undefined if the assistant does not support this transport without a token in its file. */
  write(reach: Reach, name: string): JsonObject | undefined;
  /** An entry in the common form: command, args, env, cwd, or url, headers, type; and disabled. */
  read(entry: JsonObject): JsonObject;
}

const command = ({ command: program, args }: Extract<Reach, { transport: 'stdio' }>): JsonObject => ({
  command: program,
  args: [...args],
});

/** Refers to the token by variable, since configuration files get copied, synced and committed. */
const bearer = (variable: string): JsonObject => ({ Authorization: `Bearer ${variable}` });

const asWritten = (entry: JsonObject): JsonObject => entry;

/** Entries that only start programs; a remote entry would need the token itself in the file. */
export const stdioOnly: EntryFormat = {
  write: (reach) => (reach.transport === 'stdio' ? command(reach) : undefined),
  read: asWritten,
};

/** The common form, with the differences between assistants. */
export const commonEntry = (options: {
  /** How the file refers to the variable of the token. */
  readonly variable: string;
  readonly urlKey?: string;
  readonly stdioType?: string;
  readonly httpType?: string;
  readonly more?: JsonObject;
}): EntryFormat => ({
  write: (reach) =>
    reach.transport === 'stdio'
      ? { ...(options.stdioType !== undefined && { type: options.stdioType }), ...command(reach), ...options.more }
      : {
          ...(options.httpType !== undefined && { type: options.httpType }),
          [options.urlKey ?? 'url']: reach.url,
          headers: bearer(options.variable),
          ...options.more,
        },
  read({ serverUrl, httpUrl, ...entry }) {
    const url = entry['url'] ?? serverUrl ?? httpUrl;
    return url === undefined ? entry : { ...entry, url };
  },
});

/** Codex: a table per server; the variable of the token has its own key. */
export const codexEntry: EntryFormat = {
  write: (reach) =>
    reach.transport === 'stdio' ? command(reach) : { url: reach.url, bearer_token_env_var: 'TOOLGATE_TOKEN' },
  read({ http_headers: headers, bearer_token_env_var: variable, env_vars: passed, enabled, ...entry }) {
    const authorization = typeof variable === 'string' ? { Authorization: `Bearer \${${variable}}` } : {};
    const names = Array.isArray(passed) ? passed.filter((name): name is string => typeof name === 'string') : [];
    const environment = {
      ...Object.fromEntries(names.map((name) => [name, `\${${name}}`])),
      ...(isPlainObject(entry['env']) ? entry['env'] : {}),
    };
    return {
      ...entry,
      ...(Object.keys(environment).length > 0 && { env: environment }),
      ...(entry['url'] !== undefined && { headers: { ...(isPlainObject(headers) ? headers : {}), ...authorization } }),
      ...(enabled === false && { disabled: true }),
    };
  },
};

/** opencode: one list for program and arguments. */
export const opencodeEntry: EntryFormat = {
  write: (reach) =>
    reach.transport === 'stdio'
      ? { type: 'local', command: [reach.command, ...reach.args], enabled: true }
      : { type: 'remote', url: reach.url, headers: bearer('{env:TOOLGATE_TOKEN}'), enabled: true },
  read({ command: words, environment, enabled, type, ...entry }) {
    const [program, ...args] = Array.isArray(words) ? words : [words];
    return {
      ...entry,
      ...(type === 'local' && { command: program ?? '', args }),
      ...(isPlainObject(environment) && { env: environment }),
      ...(enabled === false && { disabled: true }),
    };
  },
};

/** Goose: an extension with other names for everything. */
export const gooseEntry: EntryFormat = {
  write: (reach, name) =>
    reach.transport === 'stdio'
      ? { name, type: 'stdio', enabled: true, cmd: reach.command, args: [...reach.args], timeout: 300 }
      : undefined,
  read({ cmd, envs, uri, enabled, type, ...entry }) {
    // Extensions of the type `builtin` or `platform` are part of Goose itself.
    if (cmd === undefined && uri === undefined) return { builtin: true };
    return {
      ...entry,
      ...(cmd !== undefined && { command: cmd }),
      ...(uri !== undefined && { url: uri, ...(type === 'sse' && { type }) }),
      ...(isPlainObject(envs) && { env: envs }),
      ...(enabled === false && { disabled: true }),
    };
  },
};

/** Zed: `command` was an object with `path` in earlier versions. Its file cannot refer to variables. */
export const zedEntry: EntryFormat = {
  write: (reach) => (reach.transport === 'stdio' ? { ...command(reach), env: {} } : undefined),
  read({ command: given, enabled, ...entry }) {
    const { path, ...more } = isPlainObject(given) ? given : { path: given };
    return {
      ...entry,
      ...more,
      ...(path !== undefined && { command: path }),
      ...(enabled === false && { disabled: true }),
    };
  },
};

/** Continue: a list of servers with their names inside. */
export const continueEntry: EntryFormat = {
  write: (reach, name) => (reach.transport === 'stdio' ? { name, ...command(reach) } : undefined),
  read: ({ requestOptions, ...entry }) => ({
    ...entry,
    ...(isPlainObject(requestOptions) &&
      isPlainObject(requestOptions['headers']) && { headers: requestOptions['headers'] }),
  }),
};
