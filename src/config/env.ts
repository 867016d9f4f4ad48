import { choice, csv, flag, logFormat, number, whole, words, type ReadText } from './values.js';

/** A setting that can be given outside the file: by variable, and where `flag` is there, on the command line. */
export interface Setting {
  readonly name: string;
  readonly flag?: string;
  /** The key of the file it stands for. */
  readonly path: string;
  readonly parse: ReadText;
  readonly describes: string;
}

/** The variable that names the configuration file. */
export const CONFIG_FILE = 'MCP_CONFIG_FILE';

const logLevel = choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], {
  warning: 'warn',
  critical: 'fatal',
  notset: 'trace',
});

/** Every environment variable that sets a key; the loader, `--help` and the documentation all read this. */
export const settings: readonly Setting[] = [
  {
    name: 'MCP_SERVER_TRANSPORT',
    flag: '--transport',
    path: 'server.transport',
    parse: choice(['stdio', 'http']),
    describes: 'stdio or http',
  },
  { name: 'MCP_SERVER_HOST', flag: '--host', path: 'server.host', parse: words, describes: 'address to listen on' },
  {
    name: 'MCP_SERVER_PORT',
    flag: '--port',
    path: 'server.port',
    parse: whole(0, 65_535),
    describes: 'port to listen on',
  },
  {
    name: 'MCP_SERVER_SHUTDOWN_GRACE_PERIOD',
    flag: '--grace',
    path: 'server.shutdown_grace_period',
    parse: number,
    describes: 'seconds for running calls at shutdown',
  },
  { name: 'MCP_MAX_ARGS_LEN', path: 'tool.max_args_length', parse: whole(), describes: 'longest extra_args' },
  {
    name: 'MCP_MAX_STDOUT_BYTES',
    path: 'tool.max_stdout_bytes',
    parse: whole(),
    describes: 'standard output kept per call',
  },
  {
    name: 'MCP_MAX_STDERR_BYTES',
    path: 'tool.max_stderr_bytes',
    parse: whole(),
    describes: 'standard error kept per call',
  },
  {
    name: 'MCP_DEFAULT_TIMEOUT_SEC',
    flag: '--timeout',
    path: 'tool.default_timeout',
    parse: number,
    describes: 'seconds a call may take',
  },
  {
    name: 'MCP_DEFAULT_CONCURRENCY',
    flag: '--concurrency',
    path: 'tool.default_concurrency',
    parse: whole(),
    describes: 'calls of one tool at once',
  },
  {
    name: 'MCP_MAX_MEMORY_MB',
    path: 'tool.max_memory_mb',
    parse: whole(),
    describes: 'address space of a tool process in MiB',
  },
  {
    name: 'MCP_MAX_FILE_DESCRIPTORS',
    path: 'tool.max_file_descriptors',
    parse: whole(),
    describes: 'open files of a tool process',
  },
  { name: 'TOOL_INCLUDE', flag: '--include', path: 'tool.include', parse: csv, describes: 'offer only these tools' },
  { name: 'TOOL_EXCLUDE', flag: '--exclude', path: 'tool.exclude', parse: csv, describes: 'never offer these tools' },
  {
    name: 'TOOLS_PACKAGE',
    flag: '--tools',
    path: 'commands.directories',
    parse: csv,
    describes: 'folders with tool manifests',
  },
  {
    name: 'MCP_SECURITY_ALLOW_INTRUSIVE',
    flag: '--allow-intrusive',
    path: 'security.allow_intrusive',
    parse: flag,
    describes: 'allow intrusive flags and scripts',
  },
  {
    name: 'MCP_ALLOWED_DOMAINS',
    path: 'outbound.allowed_domains',
    parse: csv,
    describes: 'hosts that HTTP functions may call',
  },
  {
    name: 'MCP_MAX_RESPONSE_BYTES',
    path: 'outbound.max_response_bytes',
    parse: whole(),
    describes: 'largest answer of an HTTP function',
  },
  { name: 'MCP_RETRIES', path: 'outbound.retries', parse: whole(), describes: 'attempts of a repeatable HTTP call' },
  { name: 'MCP_TIMEOUT_SECONDS', path: 'outbound.timeout', parse: number, describes: 'seconds an HTTP call may take' },
  {
    name: 'MCP_CB_FAILURES',
    path: 'outbound.circuit_breaker.failure_threshold',
    parse: whole(),
    describes: 'failures that open the breaker of an address',
  },
  {
    name: 'MCP_CB_RECOVERY_SECONDS',
    path: 'outbound.circuit_breaker.recovery_timeout',
    parse: number,
    describes: 'seconds such a breaker rests',
  },
  {
    name: 'TOOLGATE_HOME',
    flag: '--home',
    path: 'state.directory',
    parse: words,
    describes: 'folder of token, audit and store',
  },
  {
    name: 'LOG_LEVEL',
    flag: '--log-level',
    path: 'log.level',
    parse: logLevel,
    describes: 'trace, debug, info, warn, error or fatal',
  },
  { name: 'LOG_FORMAT', flag: '--log-format', path: 'log.format', parse: logFormat, describes: 'json or text' },
];
