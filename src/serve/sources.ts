import { resolve } from 'node:path';
import type { Config } from '../config/schema.js';
import type { ToolSource } from '../core/source.js';
import type { ToolSettings } from '../sources/command/limits.js';
import { commandSource } from '../sources/command/source.js';
import type { OriginBreakers } from '../sources/http/breakers.js';
import { gatewayPrompts } from '../sources/gateway-prompts.js';
import type { McpSourcesOptions } from './mcp-sources.js';
import { policiesOf } from './network-policies.js';

export interface SourcesOptions extends McpSourcesOptions {
  /** Circuit breakers by origin of HTTP tools; they survive reloads. */
  readonly origins: OriginBreakers;
}

/** Sources of a configuration; modules of unused kinds are not loaded. */
export async function sourcesOf(options: SourcesOptions): Promise<readonly ToolSource[]> {
  const { config, base, processes, env, origins, onEvent } = options;
  const { tool, security, commands, rate_limit: rate } = config;
  const policies = policiesOf(config);
  const kinds = new Set<string>(Object.values(config.sources).map(({ kind }) => kind));
  const [http, openApi, mcp] = await Promise.all([
    kinds.has('http') || Object.keys(config.mcp_tools).length > 0 ? import('./http-sources.js') : undefined,
    kinds.has('openapi') ? import('./openapi-sources.js') : undefined,
    kinds.has('mcp') ? import('./mcp-sources.js') : undefined,
  ]);
  return [
    commandSource({
      processes,
      policies,
      allowIntrusive: security.allow_intrusive,
      directories: commands.directories.map((folder) => resolve(base, folder)),
      builtins: commands.builtins,
      defaults: {
        timeoutMs: tool.default_timeout * 1000,
        concurrency: tool.default_concurrency,
        queue: tool.queue_length,
        queueTimeoutMs: tool.queue_timeout * 1000,
        ratePerMinute: rate.requests,
        maxStdoutBytes: tool.max_stdout_bytes,
        maxStderrBytes: tool.max_stderr_bytes,
        memoryBytes: tool.max_memory_mb * 1024 * 1024,
        openFiles: tool.max_file_descriptors,
        maxArgsLength: tool.max_args_length,
      },
      tools: toolSettings(config),
      onEvent,
    }),
    ...(http?.httpSourcesOf({ config, env, breakers: origins, onEvent }) ?? []),
    ...(openApi?.openApiSourcesOf({ config, base, env, policies }) ?? []),
    ...(config.prompts.length === 0 ? [] : [gatewayPrompts(config.prompts)]),
    ...(mcp?.mcpSourcesOf(options) ?? []),
  ];
}

function toolSettings({ tool }: Config): Readonly<Record<string, ToolSettings>> {
  const settings: Record<string, ToolSettings> = {};
  for (const [name, over] of Object.entries(tool.overrides)) {
    settings[name] = {
      ...(over.policy !== undefined && { policy: over.policy }),
      ...(over.timeout !== undefined && { timeoutSec: over.timeout }),
      ...(over.max_timeout !== undefined && { maxTimeoutSec: over.max_timeout }),
      ...(over.concurrency !== undefined && { concurrency: over.concurrency }),
      ...(over.rate !== undefined && { ratePerMinute: over.rate }),
      ...(over.max_stdout_bytes !== undefined && { maxStdoutBytes: over.max_stdout_bytes }),
      ...(over.max_memory_mb !== undefined && { memoryBytes: over.max_memory_mb * 1024 * 1024 }),
    };
  }
  return settings;
}
