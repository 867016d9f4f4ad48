import type { NamedNetworks } from '../net/egress/named-policies.js';
import type { PromptDeclaration } from './gateway-prompts.js';
import type { FunctionTools } from './http/functions-config.js';

/** Operator settings for one tool, by the keys of `tool.overrides`. */
interface ToolOverride {
  readonly timeout?: number;
  readonly max_timeout?: number;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly policy?: string;
  readonly max_stdout_bytes?: number;
  readonly max_stderr_bytes?: number;
  readonly max_memory_mb?: number;
  readonly max_file_descriptors?: number;
}

/** Settings outside of the entry that a source may read. A kind names the groups it reads; only those are part of its
 * fingerprint, so a change of any other setting never rebuilds it. */
export interface SourceSettings {
  readonly networks: NamedNetworks;
  readonly intrusive: boolean;
  /** Consulted when a server is admitted. */
  readonly registry: { readonly url: string; readonly network_policy?: string } | undefined;
  readonly tool: {
    readonly default_timeout?: number;
    readonly default_concurrency?: number;
    readonly queue_length: number;
    readonly queue_timeout: number;
    readonly max_args_length: number;
    readonly max_stdout_bytes?: number;
    readonly max_stderr_bytes?: number;
    readonly max_memory_mb?: number;
    readonly max_file_descriptors?: number;
    readonly overrides: Readonly<Record<string, ToolOverride>>;
  };
  readonly rate: number;
  readonly outbound: {
    readonly allowed_domains: readonly string[];
    readonly metadata_addresses: readonly string[];
    readonly timeout: number;
    readonly retries: number;
    readonly max_response_bytes: number;
    readonly circuit_breaker: { readonly failure_threshold: number; readonly recovery_timeout: number };
  };
  readonly commands: {
    readonly builtins: boolean;
    readonly directories: readonly string[];
    readonly sandbox: { readonly tier: 'auto' | 'none' };
    readonly http_fetch: { readonly ports: readonly number[] | 'any' };
  };
  readonly functions: FunctionTools;
  readonly prompts: readonly PromptDeclaration[];
}

/** A configuration, as far as sources read it. */
export interface SourcesConfig {
  readonly security: NamedNetworks & { readonly allow_intrusive: boolean };
  readonly tool: SourceSettings['tool'];
  readonly rate_limit: { readonly requests?: number };
  readonly outbound: SourceSettings['outbound'];
  readonly commands: SourceSettings['commands'];
  readonly mcp_tools: FunctionTools;
  readonly prompts: readonly PromptDeclaration[];
  readonly mcp_registry?: { readonly url: string; readonly network_policy?: string };
}

/** Calls per minute by default: commands include network scanners; an assistant reads more than ten files in a minute. */
export const defaultRates = { commands: 10, others: 600 } as const;

/** The settings of a configuration by group. */
export const sourceSettings = (config: SourcesConfig): SourceSettings => ({
  networks: {
    network_policies: config.security.network_policies,
    default_policy: config.security.default_policy,
  },
  intrusive: config.security.allow_intrusive,
  registry: config.mcp_registry,
  tool: toolSettings(config.tool),
  rate: config.rate_limit.requests ?? defaultRates.commands,
  outbound: config.outbound,
  commands: config.commands,
  functions: config.mcp_tools,
  prompts: config.prompts,
});

/** Settings of tools without those that every listing applies anew: they are no reason to build a source again. */
const toolSettings = ({ overrides, ...tool }: SourcesConfig['tool']): SourceSettings['tool'] => ({
  ...pickDefined(tool, statedKeys),
  queue_length: tool.queue_length,
  queue_timeout: tool.queue_timeout,
  max_args_length: tool.max_args_length,
  overrides: Object.fromEntries(Object.entries(overrides).map(([name, one]) => [name, pickDefined(one, overrideKeys)])),
});

/** The keys of an object that have a value, so that an absent one is no part of a fingerprint. */
const pickDefined = <From extends object, Key extends keyof From & string>(
  from: From,
  keys: readonly Key[],
): Pick<From, Key> =>
  // The keys and values of `from`, without the undefined ones.
  Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]]))) as Pick<From, Key>;

/** Limits of tools that count only if the operator has set them. */
const statedKeys = [
  'default_timeout',
  'default_concurrency',
  'max_stdout_bytes',
  'max_stderr_bytes',
  'max_memory_mb',
  'max_file_descriptors',
] as const satisfies readonly (keyof SourceSettings['tool'])[];

/** Settings of one tool that a source applies itself. */
const overrideKeys = [
  'timeout',
  'max_timeout',
  'concurrency',
  'rate',
  'policy',
  'max_stdout_bytes',
  'max_stderr_bytes',
  'max_memory_mb',
  'max_file_descriptors',
] as const satisfies readonly (keyof ToolOverride)[];
