import type { NetworkPolicy, NetworkSet } from './network-policy.js';
import { networkPolicy } from './network-policy.js';

/** Network policies as the configuration names them. */
export interface NamedNetworks {
  readonly default_policy: string;
  readonly network_policies: Readonly<
    Record<
      string,
      {
        readonly allow: readonly ('rfc1918' | 'loopback' | 'public')[];
        readonly cidrs: readonly string[];
        readonly hosts: readonly string[];
        readonly deny: readonly string[];
      }
    >
  >;
}

/** Builds the named policies; `default` applies to tools that name none. */
export function namedPolicies(networks: NamedNetworks): Readonly<Record<string, NetworkPolicy>> {
  const made: Record<string, NetworkPolicy> = {
    rfc1918: buildPolicy('rfc1918', { allow: ['rfc1918'] }),
    loopback: buildPolicy('loopback', { allow: ['loopback'] }),
    local: buildPolicy('local', { allow: ['rfc1918', 'loopback'] }),
    public: buildPolicy('public', { allow: ['public'] }),
  };
  for (const [name, { allow, cidrs, hosts, deny }] of Object.entries(networks.network_policies)) {
    // An empty list would allow everything of its kind, so that it is left out.
    const listed: readonly NetworkSet[] = cidrs.length + hosts.length === 0 ? [] : [{ name, cidrs, hosts }];
    made[name] = buildPolicy(name, { allow: [...allow, ...listed], deny });
  }
  const byDefault = made[networks.default_policy];
  if (byDefault !== undefined) made['default'] = byDefault;
  return made;
}

/** Builds one policy; the configuration was checked, so that a problem here is a bug. */
function buildPolicy(name: string, rules: Parameters<typeof networkPolicy>[0]): NetworkPolicy {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(`security.network_policies.${name}: ${made.problems.join('; ')}`);
  return made.policy;
}
