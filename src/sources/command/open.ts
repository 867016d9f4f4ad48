import { resolve } from 'node:path';
import type { ToolSource } from '../../core/source.js';
import { namedPolicies } from '../../net/named-policies.js';
import type { SourceContext } from '../kind.js';
import type { SourceSettings } from '../settings.js';
import type { ToolSettings } from './limits.js';
import { commandSource } from './source.js';

/** Opens the source of local programs. */
export function openCommands({
  base,
  processes,
  onEvent,
  settings,
}: SourceContext<'commands' | 'networks' | 'intrusive' | 'tool' | 'rate'>): ToolSource {
  const { tool, commands, rate } = settings;
  return commandSource({
    processes,
    policies: namedPolicies(settings.networks),
    allowIntrusive: settings.intrusive,
    directories: commands.directories.map((folder) => resolve(base, folder)),
    builtins: commands.builtins,
    isUnsandboxed: commands.sandbox.tier === 'none',
    defaults: {
      timeoutMs: tool.default_timeout * 1000,
      concurrency: tool.default_concurrency,
      queue: tool.queue_length,
      queueTimeoutMs: tool.queue_timeout * 1000,
      ratePerMinute: rate,
      maxStdoutBytes: tool.max_stdout_bytes,
      maxStderrBytes: tool.max_stderr_bytes,
      memoryBytes: tool.max_memory_mb * 1024 * 1024,
      openFiles: tool.max_file_descriptors,
      maxArgsLength: tool.max_args_length,
    },
    tools: toolSettings(tool),
    onEvent,
  });
}

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
      ...(over.max_memory_mb !== undefined && { memoryBytes: over.max_memory_mb * 1024 * 1024 }),
    };
  }
  return settings;
}
