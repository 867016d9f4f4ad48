import type { JsonObject } from '../../core/json.js';
import type { ToolSource, Withheld } from '../../core/source.js';
import type { Tool } from '../../core/tool.js';
import type { EgressRules } from '../../net/egress-types.js';
import type { NetworkPolicy } from '../../net/policies.js';
import { systemResolver, type Resolver } from '../../net/resolver.js';
import { vetTarget } from '../../net/targets.js';
import { resolveProgram } from '../../processes/programs.js';
import type { CommandDefinition } from './definition.js';
import { discover } from './discovery.js';
import { httpFetch, type HttpFetch } from './http-fetch.js';
import { commandContract, type CommandContract } from './input.js';
import { holding, type HoldingTiers, type Runner } from './neighbours.js';
import { builtins } from './pack/index.js';
import { commandDefaults, settled, type CommandDefaults, type ToolSettings } from './settings.js';
import type { TargetJudge } from './target.js';
import { commandTool } from './tool.js';

/** What the operator decides and may change while the gateway runs. */
export interface CommandRules {
  /** Network policies by name; `default` is the one a manifest gets that names none. */
  readonly policies: Readonly<Record<string, NetworkPolicy>>;
  readonly allowIntrusive: boolean;
}

export interface CommandSourceOptions extends CommandRules {
  readonly id?: string;
  readonly processes: Runner;
  readonly resolver?: Resolver;
  /** Folders of `{command}.tool.yaml` files. */
  readonly directories?: readonly string[];
  readonly definitions?: readonly CommandDefinition[];
  /** The pack that comes with Toolgate; on unless told. */
  readonly builtins?: boolean;
  readonly defaults?: Partial<CommandDefaults>;
  readonly tools?: Readonly<Record<string, ToolSettings>>;
  /** What `http_fetch` may reach beyond its network policy's addresses: hosts, ports, certificates. */
  readonly httpFetch?: Omit<EgressRules, 'networks' | 'maxRedirects'>;
  /** Hears what a log should know, such as a clamped number or a loaded tool. */
  onEvent?(event: string, fields: JsonObject): void;
}

/** Local programs as tools. */
export interface CommandSource extends ToolSource {
  /** Takes new rules at once: what was learned under the old ones is forgotten. */
  reconfigure(rules: Partial<CommandRules>): void;
  clearCaches(): void;
}

/** Makes tools of the built-in pack, of manifests in folders, and of definitions in code. */
export function commandSource(options: CommandSourceOptions): CommandSource {
  const { id = 'command', processes, resolver = systemResolver(), onEvent = () => {} } = options;
  const defaults: CommandDefaults = { ...commandDefaults, ...options.defaults };
  let rules: CommandRules = { policies: options.policies, allowIntrusive: options.allowIntrusive };
  let contracts: readonly CommandContract[] = [];
  let withheld: readonly Withheld[] = [];
  const fetchers = new Map<NetworkPolicy, HttpFetch>();
  const listeners = new Set<() => void>();
  const privileged = process.getuid?.() === 0;
  const packed = options.builtins === false ? [] : builtins(onEvent);

  const judge: TargetJudge = {
    vet(kind, value, name) {
      const policy = Object.hasOwn(rules.policies, name) ? rules.policies[name] : undefined;
      if (policy !== undefined) return vetTarget(kind, value, policy, resolver);
      return Promise.resolve({
        ok: false,
        code: 'not_allowed',
        reason: `the network policy ${name} is not configured`,
        policy: name,
      });
    },
  };

  async function gather(): Promise<{
    readonly definitions: readonly CommandDefinition[];
    readonly withheld: Withheld[];
  }> {
    const folders = await Promise.all((options.directories ?? []).map(discover));
    const left: Withheld[] = folders.flatMap((folder) => folder.withheld);
    const chosen = new Map<string, CommandDefinition>();
    for (const definition of [
      ...packed,
      ...(options.definitions ?? []),
      ...folders.flatMap((folder) => folder.definitions),
    ]) {
      const { name } = definition;
      const policy = options.tools?.[name]?.policy ?? definition.manifest.target.policy;
      if (chosen.has(name))
        left.push({ what: definition.origin ?? name, why: `the name ${name} is taken by another tool` });
      else if (definition.manifest.target.kind !== 'none' && !Object.hasOwn(rules.policies, policy))
        left.push({ what: name, why: `names the network policy ${policy}, which is not configured` });
      else
        chosen.set(name, {
          ...definition,
          manifest: { ...definition.manifest, target: { ...definition.manifest.target, policy } },
        });
    }
    return { definitions: [...chosen.values()], withheld: left };
  }

  async function toTool(
    definition: CommandDefinition,
    tiers: HoldingTiers,
  ): Promise<{ readonly tool: Tool; readonly contract: CommandContract }> {
    const { name, manifest } = definition;
    const limits = settled(name, manifest, defaults, options.tools?.[name]);
    for (const { param, given, used, range } of limits.clamps)
      onEvent('config.clamped', { param, original: given, new: used, range: [...range] });
    const program = await resolveProgram(manifest.command);
    if (program.kind === 'problem')
      onEvent('tool_discovery.command_unusable', { name, command: manifest.command, reason: program.reason });
    const network = manifest.sandbox.network ?? (manifest.target.kind === 'none' ? 'none' : 'host');
    const contract = commandContract(definition, {
      judge,
      intrusive: () => rules.allowIntrusive,
      privileged,
      maxArgsLength: defaults.maxArgsLength,
      maxTimeoutSec: limits.limits.maxTimeoutMs / 1000,
    });
    const tool = commandTool(definition, {
      runner: processes,
      contract,
      network,
      settled: limits,
      source: id,
      maxArgsLength: defaults.maxArgsLength,
      holding: holding(tiers, manifest.sandbox, network, privileged),
      ...(program.kind === 'program'
        ? { file: program.path, sha256: await program.sha256() }
        : { unsafe: program.reason === 'unsafe' }),
    });
    onEvent('tool_discovery.tool_loaded', { name, command: manifest.command, ready: tool.unavailable === undefined });
    return { tool, contract };
  }

  // A replaced one is left alone until the end: calls that began on it finish there.
  function fetchTools(): readonly Tool[] {
    const networks = rules.policies[options.tools?.['http_fetch']?.policy ?? 'default'];
    if (options.builtins === false || networks === undefined) return [];
    const current = fetchers.get(networks) ?? httpFetch(id, { resolver, ...options.httpFetch, networks });
    fetchers.set(networks, current);
    return [current.tool];
  }

  const clearCaches = (): void => {
    for (const contract of contracts) contract.clear();
    for (const definition of [...packed, ...(options.definitions ?? [])]) definition.clear?.();
  };

  return {
    id,
    async list() {
      const [tiers, found] = await Promise.all([processes.tiers(), gather()]);
      for (const { what, why } of found.withheld) onEvent('tool_discovery.tool_skipped', { what, why });
      const made = await Promise.all(found.definitions.map((definition) => toTool(definition, tiers)));
      contracts = made.map(({ contract }) => contract);
      withheld = found.withheld;
      return [...made.map(({ tool }) => tool), ...fetchTools()];
    },
    async close() {
      await Promise.all([...fetchers.values()].map((each) => each.close()));
    },
    withheld: () => withheld,
    health: () =>
      withheld.length === 0
        ? { status: 'healthy' }
        : { status: 'degraded', detail: `${withheld.length} manifests were left out` },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clearCaches,
    reconfigure(changed) {
      rules = { ...rules, ...changed };
      clearCaches();
      for (const listener of listeners) listener();
    },
  };
}
