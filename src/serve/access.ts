import type { Budgets } from '../access/budgets.js';
import { budgets } from '../access/budgets.js';
import type { FlowMemory } from '../access/flow-memory.js';
import { flowMemory } from '../access/flow-memory.js';
import { join } from 'node:path';
import type { Credential } from '../access/bearer.js';
import type { ConfiguredToken } from '../access/credentials.js';
import { credentials, tokenPrincipal, owner } from '../access/credentials.js';
import { control as makeControl } from '../access/control.js';
import type { Control } from '../access/control.js';
import { explainer } from '../access/explain.js';
import type { HypotheticalCall } from '../access/explain.js';
import type { Flows } from '../access/flows.js';
import { flows as makeFlows } from '../access/flows.js';
import type { Issuer } from '../access/issuers.js';
import { tokenVerifier } from '../access/issuers.js';
import { keySet } from '../access/key-sets.js';
import type { KeyFile } from '../access/keys.js';
import { keyFile, keyPrincipal } from '../access/keys.js';
import { ownerToken } from '../access/token-file.js';
import type { UnknownName } from '../access/unknown-names.js';
import { unknownNames } from '../access/unknown-names.js';
import type { LabelsOf } from '../access/labels.js';
import { labeller } from '../access/labels.js';
import { callLimits } from '../access/limits.js';
import { compileRules, accessPolicy as makePolicy } from '../access/policy.js';
import type { CompiledRule, RuleProblem } from '../access/policy.js';
import { profiles as makeProfiles } from '../access/profiles.js';
import type { Profiles } from '../access/profiles.js';
import { protectedResource } from '../access/protected-resource.js';
import type { ProtectedResource } from '../access/protected-resource.js';
import { isLoopback } from '../lib/loopback.js';
import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import { hasSameRights } from '../core/gateway.js';
import type { Principal } from '../core/principal.js';
import type { Visibility } from '../gateway.js';
import type { Allowances } from '../guards/allowance.js';
import { sha256 } from '../lib/hash.js';
import type { TokenBucket } from '../lib/token-bucket.js';
import { tokenBucket } from '../lib/token-bucket.js';
import { egress } from '../net/egress.js';
import type { RegistryState } from '../registry/registry.js';
import { truncatedResultsId } from '../sources/truncated-results.js';
import { localUser } from './local-user.js';
import { sourceKinds } from '../sources/index.js';
import { kindOf, type SourceKind } from '../sources/kind.js';
import { namedPolicies } from '../net/named-policies.js';

/** Compiled access rules of one configuration. */
export interface Rules {
  readonly control: Control;
  readonly flows: Flows;
  readonly labelsOf: LabelsOf;
  readonly profiles: Profiles;
  readonly allowances: Allowances;
  readonly visibility: Visibility;
  explain(supposed: HypotheticalCall): Promise<JsonObject>;
  /** Names in the rules that match nothing; complete once all sources are listed. */
  unknown(registry: RegistryState): readonly UnknownName[];
}

/** State about callers that survives reloads, and restarts if it must be persisted. */
export interface CallerMemory {
  readonly flows: FlowMemory;
  readonly budgets: Budgets;
  /** Tokens of the limits over several tools. */
  readonly rates: TokenBucket;
}

export const callerMemory = (config: () => Config): CallerMemory => {
  const maxKeys = (): number => config().rate_limit.max_keys;
  return {
    flows: flowMemory(),
    budgets: budgets({ maxKeys }),
    // Budgets and limits share the clock of calendar time.
    rates: tokenBucket({ maxKeys, clock: Date.now }),
  };
};

/** Whether a restart would reset something a caller could exploit: a budget, or the labels of a conversation. */
export const needsPersistence = ({ access, flows, policy }: Config): boolean =>
  access.limits.some(({ calls_per_day: budget }) => budget !== undefined) ||
  flows.rules.length > 0 ||
  policy.rules.some(({ when }) => when?.includes('session') === true);

/** Compiles the rules of a configuration, or returns their problems. */
export function compileAccess(
  { access, policy, flows, sources }: Config,
  remembered: CallerMemory,
  kinds: readonly SourceKind[] = sourceKinds,
): { readonly ok: true; readonly rules: Rules } | { readonly ok: false; readonly problems: readonly RuleProblem[] } {
  const labelsOf = labeller(flows);
  const { rules, problems } = compileRules(policy.rules, labelsOf);
  const all = [...problems, ...unknownProfiles(access)];
  if (all.length > 0) return { ok: false, problems: all };
  const judged = makePolicy(rules);
  const memory = makeFlows({
    rules: flows.rules,
    readLabels: labelsRead(rules),
    labelsOf,
    conversations: flows.conversations,
    rememberMs: flows.remember_seconds * 1000,
    maxConversations: flows.max_conversations,
    memory: remembered.flows,
  });
  const control = makeControl({
    policy: judged,
    flows: memory,
    labelsOf,
    confirmEffects: policy.confirmation.effects,
    ownSource: truncatedResultsId,
  });
  const parts = makeProfiles({ profiles: access.profiles, roles: access.roles, labelsOf });
  const allowances = callLimits(access.limits, { rates: remembered.rates, budgets: remembered.budgets });
  return {
    ok: true,
    rules: {
      control,
      allowances,
      labelsOf,
      flows: memory,
      profiles: parts,
      visibility: {
        group: (view) => `${parts.key(view)}|${judged.key(view.principal)}`,
        isVisible: (view, item) =>
          item.source === truncatedResultsId ||
          (parts.holds(view, item) && (!isTool(item) || judged.couldAllow(view.principal, item))),
      },
      explain: explainer({
        control,
        policy: judged,
        labelsOf,
        limits: (principal, tool) => allowances.about(principal, tool),
      }),
      unknown(registry) {
        const there = Object.keys(registry.health()).filter((id) => id !== truncatedResultsId);
        return unknownNames(rules, {
          tools: [...registry.catalogue().tools.values()],
          sources: [...there, ...Object.keys(sources)],
          awaited: awaitedNames(sources, registry, kinds),
        });
      },
    },
  };
}

/** Labels of the conversation that some expression can read. */
const labelsRead = (rules: readonly CompiledRule[]): readonly string[] | 'all' => {
  const all: string[] = [];
  for (const { sessionLabels } of rules) {
    if (sessionLabels === 'all') return 'all';
    all.push(...sessionLabels);
  }
  return all;
};

/** Name prefixes of sources that are missing, unhealthy, or have withheld items: their tools may still appear. */
export function awaitedNames(
  sources: Config['sources'],
  registry: RegistryState,
  kinds: readonly SourceKind[],
): readonly string[] {
  const health = registry.health();
  const held = new Set(registry.withheld().map(({ source }) => source));
  const ids = [...new Set([...Object.keys(health), ...Object.keys(sources)])];
  return ids
    .filter(
      (id) =>
        health[id] === undefined || health[id].status === 'unhealthy' || (held.has(id) && Object.hasOwn(sources, id)),
    )
    .map((id) => {
      const entry = Object.hasOwn(sources, id) ? sources[id] : undefined;
      return entry === undefined ? '' : kindOf(entry, kinds).prefix(id, entry);
    });
}

type VisibleItem = Parameters<Visibility['isVisible']>[1];
const isTool = (item: VisibleItem): item is Parameters<Control['decide']>[1] => 'effects' in item;

function unknownProfiles({ profiles, roles, local_profile: local }: Config['access']): readonly RuleProblem[] {
  const named = [
    ...Object.entries(roles).flatMap(([role, one]) =>
      one.profiles.map((name) => [`access.roles.${role}.profiles`, name] as const),
    ),
    ...(local === undefined ? [] : [['access.local_profile', local] as const]),
  ];
  return named
    .filter(([, name]) => !Object.hasOwn(profiles, name))
    .map(([path, name]) => ({ path, message: `unknown profile ${name}` }));
}

/** Authentication of HTTP callers. */
export interface Credentials {
  readonly resource: ProtectedResource;
  /** Resolves an Authorization header to a principal. */
  authenticate(authorization: string | undefined): Credential | Promise<Credential>;
  /** Finds a principal by id, as in `explain --as`; undefined if unknown. */
  known(id: string): Principal | undefined;
  /** Whether the credential behind a principal still exists with the same rights; tokens of an issuer end by themselves. */
  isCurrent(principal: Principal): boolean;
  close(): Promise<void>;
}

export const keysIn = (folder: string): KeyFile => keyFile(join(folder, 'keys.json'));

/** Where credentials come from, besides the configuration. */
export interface CredentialSources {
  readonly keys: KeyFile;
  readonly env: NodeJS.ProcessEnv;
  /** File of the gateway's own token, if the configuration names none. */
  readonly tokenFile: string;
  /** Called with each token of that file, which must not appear in the log. */
  readonly onToken: (token: string) => void;
}

/** Credentials of a configuration: the owner's token, tokens, keys and issuers. */
export function credentialsOf(config: Config, { keys, env, tokenFile, onToken }: CredentialSources): Credentials {
  const { auth } = config;
  const tokens = auth.tokens.map(({ name, token, sha256: hash, roles, profile }): ConfiguredToken => {
    const resolved = token?.resolve(env);
    return {
      name,
      sha256: hash ?? sha256(resolved?.ok === true ? resolved.value : ''),
      roles,
      ...(profile !== undefined && { profile }),
    };
  });
  const resource = protectedResource({
    ...(auth.resource !== undefined && { resource: auth.resource }),
    issuers: auth.issuers.map(({ issuer }) => issuer),
    scopes: auth.issuers.flatMap(({ scopes }) => scopes),
  });
  const networks = namedPolicies(config.security);
  const ways: { close(): Promise<void> }[] = [];
  const issuers = auth.issuers.map(
    ({
      name,
      issuer,
      jwks_url: jwksUrl,
      audience,
      algorithms,
      scopes,
      roles_claim: rolesClaim,
      roles,
      default_roles: defaultRoles,
      profile,
      network,
    }): Issuer => {
      const here = isLoopback(new URL(issuer).hostname);
      const policy = networks[here && network === 'public' ? 'loopback' : network];
      if (policy === undefined) throw new Error(`auth.issuers: ${name}: unknown network policy ${network}`);
      const way = egress({
        networks: policy,
        hosts: [...new Set([issuer, jwksUrl ?? issuer].map((url) => new URL(url).hostname))],
        ports: 'any',
        schemes: here ? ['http', 'https'] : ['https'],
      });
      ways.push(way);
      return {
        name,
        issuer,
        algorithms,
        scopes,
        roles,
        defaultRoles,
        audience: audience.length > 0 ? audience : [auth.resource ?? ''],
        ...(rolesClaim !== undefined && { rolesClaim }),
        ...(profile !== undefined && { profile }),
        keys: keySet({ issuer, egress: way, ...(jwksUrl !== undefined && { jwksUrl }) }),
      };
    },
  );
  let judge: ReturnType<typeof credentials> | undefined;
  return {
    resource,
    authenticate(authorization) {
      judge ??= credentials({
        ownerToken: ownerToken(auth.token_file ?? tokenFile, onToken),
        tokens,
        keys,
        challenge: resource.challenge,
        anonymous: !auth.required,
        ...(issuers.length > 0 && { issuers: tokenVerifier(issuers) }),
      });
      return judge.authenticate(authorization);
    },
    isCurrent(principal) {
      if (principal.kind === 'jwt' || principal.kind === 'anonymous') return true;
      const found = known(principal.id);
      return found !== undefined && hasSameRights({ principal }, { principal: found });
    },
    known,
    async close() {
      await Promise.all(ways.map((way) => way.close()));
    },
  };

  function known(id: string): Principal | undefined {
    if (id === owner.id) return owner;
    const local = localUser(config);
    if (id === local.id) return local;
    const [kind, name] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
    if (kind === 'token') return tokens.filter((token) => token.name === name).map(tokenPrincipal)[0];
    return kind === 'key'
      ? keys
          .list()
          .filter((key) => key.name === name)
          .map(keyPrincipal)[0]
      : undefined;
  }
}
