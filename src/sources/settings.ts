import type { NamedNetworks } from '../net/named-policies.js';
import type { PromptDeclaration } from './gateway-prompts.js';
import type { FunctionTools } from './http/functions-config.js';

/** Operator settings for one tool, by the keys of `tool.overrides`. */
export interface ToolOverride {
  readonly timeout?: number;
  readonly max_timeout?: number;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly policy?: string;
  readonly max_stdout_bytes?: number;
  readonly max_memory_mb?: number;
}

/** Settings outside of the entry that a source may read. A kind names the groups it reads; only those are part of its
 * fingerprint, so a change of any other setting never rebuilds it. */
export interface SourceSettings {
  readonly networks: NamedNetworks;
  readonly intrusive: boolean;
  /** Consulted when a server is admitted. */
  readonly registry: { readonly url: string; readonly network_policy?: string } | undefined;
  readonly tool: {
    readonly default_timeout: number;
    readonly default_concurrency: number;
    readonly queue_length: number;
    readonly queue_timeout: number;
    readonly max_args_length: number;
    readonly max_stdout_bytes: number;
    readonly max_stderr_bytes: number;
    readonly max_memory_mb: number;
    readonly max_file_descriptors: number;
    readonly overrides: Readonly<Record<string, ToolOverride>>;
  };
  readonly rate: number;
  readonly outbound: {
    readonly allowed_domains: readonly string[];
    readonly timeout: number;
    readonly retries: number;
    readonly max_response_bytes: number;
    readonly circuit_breaker: { readonly failure_threshold: number; readonly recovery_timeout: number };
  };
  readonly commands: {
    readonly builtins: boolean;
    readonly directories: readonly string[];
    readonly sandbox: { readonly tier: 'auto' | 'none' };
  };
  readonly functions: FunctionTools;
  readonly prompts: readonly PromptDeclaration[];
}

/** A configuration, as far as sources read it. */
export interface SourcesConfig {
  readonly security: NamedNetworks & { readonly allow_intrusive: boolean };
  readonly tool: SourceSettings['tool'];
  readonly rate_limit: { readonly requests: number };
  readonly outbound: SourceSettings['outbound'];
  readonly commands: SourceSettings['commands'];
  readonly mcp_tools: FunctionTools;
  readonly prompts: readonly PromptDeclaration[];
  readonly mcp_registry?: { readonly url: string; readonly network_policy?: string };
}

/** The settings of a configuration by group. */
export const sourceSettings = (config: SourcesConfig): SourceSettings => ({
  networks: {
    network_policies: config.security.network_policies,
    default_policy: config.security.default_policy,
  },
  intrusive: config.security.allow_intrusive,
  registry: config.mcp_registry,
  tool: toolSettings(config.tool),
  rate: config.rate_limit.requests,
  outbound: config.outbound,
  commands: config.commands,
  functions: config.mcp_tools,
  prompts: config.prompts,
});

/** Settings of tools without those that every listing applies anew: they are no reason to build a source again. */
const toolSettings = ({ overrides, ...tool }: SourcesConfig['tool']): SourceSettings['tool'] => ({
  default_timeout: tool.default_timeout,
  default_concurrency: tool.default_concurrency,
  queue_length: tool.queue_length,
  queue_timeout: tool.queue_timeout,
  max_args_length: tool.max_args_length,
  max_stdout_bytes: tool.max_stdout_bytes,
  max_stderr_bytes: tool.max_stderr_bytes,
  max_memory_mb: tool.max_memory_mb,
  max_file_descriptors: tool.max_file_descriptors,
  overrides: Object.fromEntries(
    Object.entries(overrides).map(([name, one]) => [
      name,
      Object.fromEntries(overrideKeys.flatMap((key) => (one[key] === undefined ? [] : [[key, one[key]]]))),
    ]),
  ),
});

const overrideKeys = [
  'timeout',
  'max_timeout',
  'concurrency',
  'rate',
  'policy',
  'max_stdout_bytes',
  'max_memory_mb',
] as const satisfies readonly (keyof ToolOverride)[];
