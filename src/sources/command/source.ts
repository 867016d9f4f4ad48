import type { JsonObject } from '../../core/json.js';
import type { ToolSource, Withheld } from '../../core/source.js';
import type { Tool } from '../../core/tool.js';
import type { EgressRules } from '../../net/egress/egress-types.js';
import type { NetworkPolicy, Refusal } from '../../net/egress/network-policy.js';
import { systemResolver, type Resolver } from '../../net/addresses/resolver.js';
import { parseTarget, resolveName } from '../../net/egress/target-vetting.js';
import { resolveProgram } from '../../processes/programs.js';
import type { CommandDefinition } from './definition.js';
import { discoverManifests } from './manifest/discovery.js';
import { httpFetch, type HttpFetchTool } from './http-fetch/http-fetch.js';
import { commandContract, type CommandContract } from './input/contract.js';
import { chooseTier, type SandboxTiers, type ProcessRunner } from './run/sandbox-tier.js';
import { builtins } from './pack/index.js';
import {
  commandDefaults,
  resolveLimits,
  type Ceilings,
  type CommandDefaults,
  type StatedDefaults,
  type ToolSettings,
} from './limits.js';
import type { TargetPolicy } from './input/target.js';
import { commandTool } from './tool.js';

/** Rules the operator may change while the gateway runs. */
interface CommandRules {
  /** Network policies by name; `default` applies to manifests without `target.policy`. */
  readonly policies: Readonly<Record<string, NetworkPolicy>>;
  readonly allowIntrusive: boolean;
}

/** What the source is built from; everything but `policies` and `allowIntrusive` is fixed for its life. */
export interface CommandSourceOptions extends CommandRules {
  readonly id?: string;
  readonly processes: ProcessRunner;
  readonly resolver?: Resolver;
  /** Folders of `{command}.tool.yaml` files. */
  readonly directories?: readonly string[];
  readonly definitions?: readonly CommandDefinition[];
  /** Whether to include the built-in pack; true by default. */
  readonly builtins?: boolean;
  /** Runs programs without tier and limits; off by default. */
  readonly isUnsandboxed?: boolean;
  readonly defaults?: Partial<CommandDefaults>;
  readonly stated?: StatedDefaults;
  readonly ceilings?: Ceilings;
  readonly tools?: Readonly<Record<string, ToolSettings>>;
  /** Further egress rules of `http_fetch`: hosts, ports, certificates. */
  readonly httpFetch?: Omit<EgressRules, 'networks' | 'maxRedirects'>;
  /** Receives log events, such as a clamped setting or a loaded tool. */
  onEvent?(event: string, fields: JsonObject): void;
}

/** Tool source of local programs. */
export interface CommandSource extends ToolSource {
  /** Applies new rules immediately and clears caches. */
  reconfigure(rules: Partial<CommandRules>): void;
  clearCaches(): void;
}

/** Builds tools from the built-in pack, manifest folders and definitions in code. */
export function commandSource(options: CommandSourceOptions): CommandSource {
  const { id = 'command', processes, resolver = systemResolver(), onEvent = () => {} } = options;
  const defaults: CommandDefaults = { ...commandDefaults, ...options.defaults };
  let rules: CommandRules = { policies: options.policies, allowIntrusive: options.allowIntrusive };
  let contracts: readonly CommandContract[] = [];
  let withheld: readonly Withheld[] = [];
  const fetchers = new Map<NetworkPolicy, HttpFetchTool>();
  const listeners = new Set<() => void>();
  // Known once: some flags of nmap and traceroute need raw sockets.
  const isRoot = process.getuid?.() === 0;
  const builtinDefinitions = options.builtins === false ? [] : builtins(onEvent);

  // Object.hasOwn: the name comes from a manifest.
  const policyOf = (name: string): NetworkPolicy | undefined =>
    Object.hasOwn(rules.policies, name) ? rules.policies[name] : undefined;
  // A policy that vanished with a reload refuses; falling back to another one would widen access.
  const unknownPolicy = (name: string): Refusal => ({
    ok: false,
    code: 'not_allowed',
    reason: `unknown network policy ${name}`,
    policy: name,
  });
  const targetPolicy: TargetPolicy = {
    parse(kind, value, name) {
      const policy = policyOf(name);
      return policy === undefined ? unknownPolicy(name) : parseTarget(kind, value, policy);
    },
    async resolve(host, name, signal) {
      const policy = policyOf(name);
      return policy === undefined ? unknownPolicy(name) : resolveName(host, policy, resolver, signal);
    },
  };

  async function collectDefinitions(): Promise<{
    readonly definitions: readonly CommandDefinition[];
    readonly withheld: Withheld[];
  }> {
    const folders = await Promise.all((options.directories ?? []).map(discoverManifests));
    const withheldItems: Withheld[] = folders.flatMap((folder) => folder.withheld);
    // First come, first served: a manifest in a folder cannot replace a built-in tool.
    const definitionsByName = new Map<string, CommandDefinition>();
    for (const definition of [
      ...builtinDefinitions,
      ...(options.definitions ?? []),
      ...folders.flatMap((folder) => folder.definitions),
    ]) {
      const { name } = definition;
      const policy = options.tools?.[name]?.policy ?? definition.manifest.target.policy;
      if (definitionsByName.has(name))
        withheldItems.push({ what: definition.origin ?? name, why: `the tool name ${name} is already in use` });
      // Fails closed: without its policy a tool could reach any network.
      else if (definition.manifest.target.kind !== 'none' && !Object.hasOwn(rules.policies, policy))
        withheldItems.push({ what: name, why: `unknown network policy ${policy}` });
      else
        definitionsByName.set(name, {
          ...definition,
          manifest: { ...definition.manifest, target: { ...definition.manifest.target, policy } },
        });
    }
    return { definitions: [...definitionsByName.values()], withheld: withheldItems };
  }

  async function toTool(
    definition: CommandDefinition,
    tiers: SandboxTiers,
  ): Promise<{ readonly tool: Tool; readonly contract: CommandContract }> {
    const { name, manifest } = definition;
    const own = options.tools?.[name];
    const { stated, ceilings } = options;
    const limits = resolveLimits(definition, {
      defaults,
      ...(stated && { stated }),
      ...(ceilings && { ceilings }),
      ...(own && { tool: own }),
    });
    for (const { param, given, used, range } of limits.clamps)
      onEvent('config.clamped', { param, original: given, new: used, range: [...range] });
    // Resolved now and started by absolute path later: PATH at call time plays no role.
    const program = await resolveProgram(manifest.command);
    if (program.kind === 'problem')
      onEvent('tool_discovery.command_unusable', { name, command: manifest.command, reason: program.reason });
    const unsandboxed = options.isUnsandboxed === true;
    const declared = manifest.sandbox.network ?? (manifest.target.kind === 'none' ? 'none' : 'host');
    const network = unsandboxed ? 'host' : declared; // only a tier can cut off the network
    const contract = commandContract(definition, {
      targetPolicy,
      allowsIntrusive: () => rules.allowIntrusive,
      isRoot,
      maxArgsLength: defaults.maxArgsLength,
      maxTimeoutSec: limits.limits.maxTimeoutMs / 1000,
    });
    const tool = commandTool(definition, {
      runner: processes,
      contract,
      network,
      limits,
      source: id,
      onEvent,
      maxArgsLength: defaults.maxArgsLength,
      tier: unsandboxed ? { ok: true, tier: 'none' } : chooseTier(tiers, manifest.sandbox, network, isRoot),
      ...(program.kind === 'program'
        ? // The hash is shown to operators, who can see that a program was replaced.
          { file: program.path, sha256: await program.sha256() }
        : { isReplaceable: program.reason === 'unsafe' }),
    });
    onEvent('tool_discovery.tool_loaded', { name, command: manifest.command, ready: tool.unavailable === undefined });
    return { tool, contract };
  }

  // A replaced tool stays open until shutdown, so that its running calls can finish.
  function fetchTools(): readonly Tool[] {
    const networks = rules.policies[options.tools?.['http_fetch']?.policy ?? 'default'];
    if (options.builtins === false || networks === undefined) return [];
    const current = fetchers.get(networks) ?? httpFetch(id, { resolver, ...options.httpFetch, networks });
    fetchers.set(networks, current);
    return [current.tool];
  }

  const clearCaches = (): void => {
    // Contracts cache parsed `extra_args`, whose validity depends on the rules.
    for (const contract of contracts) contract.clear();
    for (const definition of [...builtinDefinitions, ...(options.definitions ?? [])]) definition.clear?.();
  };

  return {
    id,
    async list() {
      // The tiers are probed once per process and cached, so this costs nothing after the first list.
      const [tiers, found] = await Promise.all([processes.tiers(), collectDefinitions()]);
      for (const { what, why } of found.withheld) onEvent('tool_discovery.tool_skipped', { what, why });
      const built = await Promise.all(found.definitions.map((definition) => toTool(definition, tiers)));
      contracts = built.map(({ contract }) => contract);
      withheld = found.withheld;
      return [...built.map(({ tool }) => tool), ...fetchTools()];
    },
    async close() {
      await Promise.all([...fetchers.values()].map((fetcher) => fetcher.close()));
    },
    withheld: () => withheld,
    health: () => ({
      ...(withheld.length === 0
        ? { status: 'healthy' }
        : { status: 'degraded', detail: `${withheld.length} manifests were rejected` }),
      ...(options.isUnsandboxed === true && { sandbox: 'unsandboxed' }),
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clearCaches,
    reconfigure(changed) {
      // Replaced as a whole: a call that reads it sees the old rules or the new ones, never a mixture.
      rules = { ...rules, ...changed };
      clearCaches();
      for (const listener of listeners) listener();
    },
  };
}
