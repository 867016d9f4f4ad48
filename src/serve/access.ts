import type { Budgets } from '../access/budgets.js';
import { budgets } from '../access/budgets.js';
import type { FlowMemory } from '../access/flow-memory.js';
import { flowMemory } from '../access/flow-memory.js';
import { join } from 'node:path';
import type { Credential } from '../access/bearer.js';
import type { ListedToken } from '../access/credentials.js';
import { credentials, listedPrincipal, owner } from '../access/credentials.js';
import { control as makeControl } from '../access/control.js';
import type { Control } from '../access/control.js';
import { explainer } from '../access/explain.js';
import type { Supposed } from '../access/explain.js';
import type { Flows } from '../access/flows.js';
import { flows as makeFlows } from '../access/flows.js';
import type { Issuer } from '../access/issuers.js';
import { tokenJudge } from '../access/issuers.js';
import { keySet } from '../access/key-sets.js';
import type { KeyFile } from '../access/keys.js';
import { keyFile, keyPrincipal } from '../access/keys.js';
import type { Misnamed } from '../access/known-names.js';
import { unknownNames } from '../access/known-names.js';
import type { LabelsOf } from '../access/labels.js';
import { labeller } from '../access/labels.js';
import { limits } from '../access/limits.js';
import { compileRules, policy as makePolicy } from '../access/policy.js';
import type { RuleProblem } from '../access/policy.js';
import { profiles as makeProfiles } from '../access/profiles.js';
import type { Profiles } from '../access/profiles.js';
import { protectedResource } from '../access/protected-resource.js';
import type { ProtectedResource } from '../access/protected-resource.js';
import { isLoopback } from '../config/checks.js';
import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { Principal } from '../core/principal.js';
import type { Visibility } from '../gateway.js';
import type { Allowances } from '../guards/allowance.js';
import { sha256 } from '../lib/hash.js';
import { egress } from '../net/egress.js';
import type { Registry } from '../registry/registry.js';
import { keptResultsId } from '../sources/kept-results.js';
import { localUser } from './local-user.js';
import { policiesOf } from './policies.js';

/** Who may do what, as one configuration says. */
export interface Rules {
  readonly control: Control;
  readonly flows: Flows;
  readonly labelsOf: LabelsOf;
  readonly profiles: Profiles;
  readonly allowances: Allowances;
  readonly visibility: Visibility;
  explain(supposed: Supposed): Promise<JsonObject>;
  /** Names in the rules that nothing has; asked once the sources have told what they offer. */
  unknown(registry: Registry): readonly Misnamed[];
}

/** What is remembered of callers: it outlives reloads, and restarts where something must be kept. */
export interface Remembered {
  readonly flows: FlowMemory;
  readonly budgets: Budgets;
}

export const remembered = ({ rate_limit: rate }: Config): Remembered => ({
  flows: flowMemory(),
  budgets: budgets({ maxKeys: rate.max_keys }),
});

/** Whether forgetting would give somebody something back: a budget, or a clean conversation. */
export const mustKeep = ({ access, flows, policy }: Config): boolean =>
  access.limits.some(({ calls_per_day: budget }) => budget !== undefined) ||
  flows.rules.length > 0 ||
  policy.rules.some(({ when }) => when?.includes('session') === true);

/** Compiles the rules of a configuration, or says what is wrong with them. */
export function rulesOf(
  { access, policy, flows, sources, rate_limit: rate }: Config,
  remembered: Remembered,
): { readonly ok: true; readonly rules: Rules } | { readonly ok: false; readonly problems: readonly RuleProblem[] } {
  const labelsOf = labeller(flows);
  const { rules, problems } = compileRules(policy.rules, labelsOf);
  const all = [...problems, ...unknownProfiles(access)];
  if (all.length > 0) return { ok: false, problems: all };
  const judged = makePolicy(rules);
  const memory = makeFlows({
    rules: flows.rules,
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
    ownSource: keptResultsId,
  });
  const parts = makeProfiles({ profiles: access.profiles, roles: access.roles, labelsOf });
  const allowances = limits(access.limits, { maxKeys: rate.max_keys, budgets: remembered.budgets });
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
        sees: (view, item) =>
          item.source === keptResultsId ||
          (parts.holds(view, item) && (!isTool(item) || judged.couldAllow(view.principal, item))),
      },
      explain: explainer({
        control,
        policy: judged,
        labelsOf,
        limits: (principal, tool) => allowances.about(principal, tool),
      }),
      unknown(registry) {
        const there = Object.keys(registry.health()).filter((id) => id !== keptResultsId);
        return unknownNames(rules, {
          tools: [...registry.catalogue().tools.values()],
          sources: [...there, ...Object.keys(sources)],
          awaited: awaitedNames(sources, registry),
        });
      },
    },
  };
}

/** How the names of tools begin whose source is not there, not well, or has something withheld. */
function awaitedNames(sources: Config['sources'], registry: Registry): readonly string[] {
  const health = registry.health();
  const held = new Set(registry.withheld().map(({ source }) => source));
  const ids = [...new Set([...Object.keys(health), ...Object.keys(sources)])];
  return ids
    .filter(
      (id) =>
        health[id] === undefined || health[id].status === 'unhealthy' || (held.has(id) && Object.hasOwn(sources, id)),
    )
    .map((id) => {
      const prefix = Object.hasOwn(sources, id) ? sources[id]?.prefix : 'none';
      return prefix === 'none'
        ? ''
        : `${prefix === undefined || (prefix === 'source' && sources[id]?.kind === 'http') ? id : prefix}__`;
    });
}

type Item = Parameters<Visibility['sees']>[1];
const isTool = (item: Item): item is Parameters<Control['decide']>[1] => 'effects' in item;

function unknownProfiles({ profiles, roles, local_profile: local }: Config['access']): readonly RuleProblem[] {
  const named = [
    ...Object.entries(roles).flatMap(([role, one]) =>
      one.profiles.map((name) => [`access.roles.${role}.profiles`, name] as const),
    ),
    ...(local === undefined ? [] : [['access.local_profile', local] as const]),
  ];
  return named
    .filter(([, name]) => !Object.hasOwn(profiles, name))
    .map(([path, name]) => ({ path, message: `names the profile ${name}, which there is not` }));
}

/** Who may come in over HTTP. */
export interface Credentials {
  readonly resource: ProtectedResource;
  /** Who is behind an Authorization header, given the gateway's own token. */
  authenticate(ownerToken: string, authorization: string | undefined): Credential | Promise<Credential>;
  /** A principal by its id, as `explain --as` names it; undefined where none is known by it. */
  known(id: string): Principal | undefined;
  close(): Promise<void>;
}

export const keysIn = (folder: string): KeyFile => keyFile(join(folder, 'keys.json'));

/** The callers a configuration knows, and where their keys and tokens are checked. */
export function credentialsOf(config: Config, keys: KeyFile, env: NodeJS.ProcessEnv): Credentials {
  const { auth } = config;
  const tokens = auth.tokens.map(({ name, token, sha256: hash, roles, profile }): ListedToken => {
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
  const networks = policiesOf(config);
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
      if (policy === undefined)
        throw new Error(`auth.issuers: ${name} names the network policy ${network}, which there is not`);
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
    authenticate(ownerToken, authorization) {
      judge ??= credentials({
        ownerToken,
        tokens,
        keys,
        challenge: resource.challenge,
        anonymous: !auth.required,
        ...(issuers.length > 0 && { issuers: tokenJudge(issuers) }),
      });
      return judge.authenticate(authorization);
    },
    known(id) {
      if (id === owner.id) return owner;
      const local = localUser(config);
      if (id === local.id) return local;
      const [kind, name] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
      if (kind === 'token') return tokens.filter((token) => token.name === name).map(listedPrincipal)[0];
      return kind === 'key'
        ? keys
            .list()
            .filter((key) => key.name === name)
            .map(keyPrincipal)[0]
        : undefined;
    },
    async close() {
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}
