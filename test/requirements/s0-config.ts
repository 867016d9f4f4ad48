/** What configuration must do, in our own words. */
export const s0Config = [
  {
    id: 'S0.5',
    says: 'With neither file nor environment the gateway starts, and every limit has a safe default in code.',
  },
  { id: 'S0.8', says: 'MCP_MAX_ARGS_LEN (2048) limits the length of extra_args.' },
  { id: 'S0.9', says: 'MCP_MAX_STDOUT_BYTES (1048576) limits the standard output kept.' },
  { id: 'S0.10', says: 'MCP_MAX_STDERR_BYTES (262144) limits the standard error kept.' },
  { id: 'S0.11', says: 'MCP_DEFAULT_TIMEOUT_SEC (300) is the time a call gets.' },
  { id: 'S0.12', says: 'MCP_DEFAULT_CONCURRENCY (2) is how many calls of one tool run at once.' },
  { id: 'S0.13', says: 'MCP_MAX_MEMORY_MB (512) limits the memory of a tool process.' },
  { id: 'S0.14', says: 'MCP_MAX_FILE_DESCRIPTORS (256) limits the open files of a tool process.' },
  { id: 'S0.15', says: 'MCP_SERVER_TRANSPORT chooses stdio (the default) or http.' },
  { id: 'S0.16', says: 'MCP_SERVER_PORT (8080) is the port.' },
  {
    id: 'S0.17',
    says: 'MCP_SERVER_HOST is 127.0.0.1 by default; any other bind without authentication stops the start.',
  },
  { id: 'S0.18', says: 'TOOLS_PACKAGE names folders of tool manifests.' },
  { id: 'S0.19', says: 'TOOL_INCLUDE lists the only tools to offer, parted by commas.' },
  { id: 'S0.20', says: 'TOOL_EXCLUDE lists tools never to offer, parted by commas.' },
  { id: 'S0.21', says: 'MCP_SECURITY_ALLOW_INTRUSIVE is false by default.' },
  { id: 'S0.22', says: 'MCP_SERVER_SHUTDOWN_GRACE_PERIOD (30) is in seconds.' },
  { id: 'S0.23', says: 'LOG_LEVEL is info by default, in any case and with the Python names.' },
  {
    id: 'S0.24',
    says: 'LOG_FORMAT is json by default or text; a Python format string is read as text and said to be.',
  },
  { id: 'S0.25', says: 'MCP_CONFIG_FILE names the configuration file.' },
  { id: 'S0.26', says: 'Command line beats environment beats file beats default.' },
  { id: 'S0.27', says: 'The file has the sections circuit_breaker, tool, security and server with their keys.' },
  { id: 'S0.28', says: 'Numbers out of range are clamped, each with a note of name, given, used and range.' },
  {
    id: 'S0.29',
    says: 'Unknown keys, wrong types and unreadable files stop the start; a bad reload keeps the last good configuration and says so.',
  },
  {
    id: 'S0.30',
    says: 'A changed policy flag is named in the change, so that everything derived from it is made anew.',
  },
] as const;
