import { resolve } from 'node:path';
import type { ToolSource } from '../../core/source.js';
import { namedPolicies } from '../../net/egress/named-policies.js';
import type { SourceContext } from '../kind.js';
import type { SourceSettings } from '../settings.js';
import type { ToolSettings } from './limits.js';
import { commandSource } from './source.js';

/** Bytes of the unit in which the configuration states memory. */
const mebibyte = 1024 * 1024;

/** Opens the source of local programs. */
export function openCommands({
  base,
  processes,
  commands: definitions = [],
  onEvent,
  settings,
}: SourceContext<'commands' | 'networks' | 'intrusive' | 'tool' | 'rate'>): ToolSource {
  const { tool, commands, rate } = settings;
  return commandSource({
    processes,
    policies: namedPolicies(settings.networks),
    allowIntrusive: settings.intrusive,
    // Relative folders refer to the configuration file, not to the working directory.
    directories: commands.directories.map((folder) => resolve(base, folder)),
    definitions,
    builtins: commands.builtins,
    isUnsandboxed: commands.sandbox.tier === 'none',
    defaults: {
      queue: tool.queue_length,
      queueTimeoutMs: tool.queue_timeout * 1000,
      ratePerMinute: rate,
      maxArgsLength: tool.max_args_length,
    },
    stated: {
      ...(tool.default_timeout !== undefined && { timeoutMs: tool.default_timeout * 1000 }),
      ...(tool.default_concurrency !== undefined && { concurrency: tool.default_concurrency }),
    },
    ceilings: {
      ...(tool.max_stdout_bytes !== undefined && { maxStdoutBytes: tool.max_stdout_bytes }),
      ...(tool.max_stderr_bytes !== undefined && { maxStderrBytes: tool.max_stderr_bytes }),
      ...(tool.max_memory_mb !== undefined && { memoryBytes: tool.max_memory_mb * mebibyte }),
      ...(tool.max_file_descriptors !== undefined && { openFiles: tool.max_file_descriptors }),
    },
    tools: toolSettings(tool),
    httpFetch: { ports: commands.http_fetch.ports },
    onEvent,
  });
}

/** Settings per tool in the units of this source. */
function toolSettings({ overrides }: SourceSettings['tool']): Readonly<Record<string, ToolSettings>> {
  const settings: Record<string, ToolSettings> = {};
  for (const [name, over] of Object.entries(overrides)) {
    settings[name] = {
      ...(over.policy !== undefined && { policy: over.policy }),
      ...(over.timeout !== undefined && { timeoutSec: over.timeout }),
      ...(over.max_timeout !== undefined && { maxTimeoutSec: over.max_timeout }),
      ...(over.concurrency !== undefined && { concurrency: over.concurrency }),
      ...(over.rate !== undefined && { ratePerMinute: over.rate }),
      ...(over.max_stdout_bytes !== undefined && { maxStdoutBytes: over.max_stdout_bytes }),
      ...(over.max_stderr_bytes !== undefined && { maxStderrBytes: over.max_stderr_bytes }),
      ...(over.max_memory_mb !== undefined && { memoryBytes: over.max_memory_mb * mebibyte }),
      ...(over.max_file_descriptors !== undefined && { openFiles: over.max_file_descriptors }),
    };
  }
  return settings;
}
