import {
  oneOfWords,
  commaList,
  booleanWord,
  logFormat,
  decimalNumber,
  wholeNumber,
  nonBlankText,
  type TextParser,
} from './values.js';

/** A setting that can be given outside the file: by environment variable, and by `flag` on the command line. */
export interface Setting {
  readonly name: string;
  readonly flag?: string;
  /** The configuration key it sets. */
  readonly path: string;
  readonly parse: TextParser;
  readonly describes: string;
}

/** Environment variable with the path of the configuration file. */
export const configFileVariable = 'MCP_CONFIG_FILE';

/** Level names of other logging libraries are accepted as synonyms. */
const logLevel = oneOfWords(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], {
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
    parse: oneOfWords(['stdio', 'http']),
    describes: 'stdio or http',
  },
  {
    name: 'MCP_SERVER_HOST',
    flag: '--host',
    path: 'server.host',
    parse: nonBlankText,
    describes: 'address to listen on',
  },
  {
    name: 'MCP_SERVER_PORT',
    flag: '--port',
    path: 'server.port',
    parse: wholeNumber(0, 65_535),
    describes: 'port to listen on',
  },
  {
    name: 'MCP_SERVER_SHUTDOWN_GRACE_PERIOD',
    flag: '--grace',
    path: 'server.shutdown_grace_period',
    parse: decimalNumber,
    describes: 'seconds for running calls at shutdown',
  },
  { name: 'MCP_MAX_ARGS_LEN', path: 'tool.max_args_length', parse: wholeNumber(), describes: 'longest extra_args' },
  {
    name: 'MCP_MAX_STDOUT_BYTES',
    path: 'tool.max_stdout_bytes',
    parse: wholeNumber(),
    describes: 'standard output kept per call',
  },
  {
    name: 'MCP_MAX_STDERR_BYTES',
    path: 'tool.max_stderr_bytes',
    parse: wholeNumber(),
    describes: 'standard error kept per call',
  },
  {
    name: 'MCP_DEFAULT_TIMEOUT_SEC',
    flag: '--timeout',
    path: 'tool.default_timeout',
    parse: decimalNumber,
    describes: 'seconds a call may take',
  },
  {
    name: 'MCP_DEFAULT_CONCURRENCY',
    flag: '--concurrency',
    path: 'tool.default_concurrency',
    parse: wholeNumber(),
    describes: 'calls of one tool at once',
  },
  {
    name: 'MCP_MAX_MEMORY_MB',
    path: 'tool.max_memory_mb',
    parse: wholeNumber(),
    describes: 'address space of a tool process in MiB',
  },
  {
    name: 'MCP_MAX_FILE_DESCRIPTORS',
    path: 'tool.max_file_descriptors',
    parse: wholeNumber(),
    describes: 'open files of a tool process',
  },
  {
    name: 'TOOL_INCLUDE',
    flag: '--include',
    path: 'tool.include',
    parse: commaList,
    describes: 'offer only these tools',
  },
  {
    name: 'TOOL_EXCLUDE',
    flag: '--exclude',
    path: 'tool.exclude',
    parse: commaList,
    describes: 'never offer these tools',
  },
  {
    name: 'TOOLS_PACKAGE',
    flag: '--tools',
    path: 'commands.directories',
    parse: commaList,
    describes: 'folders with tool manifests',
  },
  {
    name: 'MCP_SECURITY_ALLOW_INTRUSIVE',
    flag: '--allow-intrusive',
    path: 'security.allow_intrusive',
    parse: booleanWord,
    describes: 'allow intrusive flags and scripts',
  },
  {
    name: 'MCP_ALLOWED_DOMAINS',
    path: 'outbound.allowed_domains',
    parse: commaList,
    describes: 'hosts that HTTP functions may call',
  },
  {
    name: 'MCP_MAX_RESPONSE_BYTES',
    path: 'outbound.max_response_bytes',
    parse: wholeNumber(),
    describes: 'largest response of an HTTP function',
  },
  {
    name: 'MCP_RETRIES',
    path: 'outbound.retries',
    parse: wholeNumber(),
    describes: 'attempts of a repeatable HTTP call',
  },
  {
    name: 'MCP_TIMEOUT_SECONDS',
    path: 'outbound.timeout',
    parse: decimalNumber,
    describes: 'seconds an HTTP call may take',
  },
  {
    name: 'MCP_CB_FAILURES',
    path: 'outbound.circuit_breaker.failure_threshold',
    parse: wholeNumber(),
    describes: 'failures that open the breaker of an address',
  },
  {
    name: 'MCP_CB_RECOVERY_SECONDS',
    path: 'outbound.circuit_breaker.recovery_timeout',
    parse: decimalNumber,
    describes: 'seconds such a breaker stays open',
  },
  {
    name: 'TOOLGATE_HOME',
    flag: '--home',
    path: 'state.directory',
    parse: nonBlankText,
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
