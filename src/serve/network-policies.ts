import type { Config } from '../config/schema.js';
import type { NetworkPolicy, NetworkSet } from '../net/network-policy.js';
import { networkPolicy } from '../net/network-policy.js';

/** Named network policies of a configuration; `default` applies to tools that name none. */
export function policiesOf({ security }: Config): Readonly<Record<string, NetworkPolicy>> {
  const made: Record<string, NetworkPolicy> = {
    rfc1918: buildPolicy('rfc1918', { allow: ['rfc1918'] }),
    loopback: buildPolicy('loopback', { allow: ['loopback'] }),
    local: buildPolicy('local', { allow: ['rfc1918', 'loopback'] }),
    public: buildPolicy('public', { allow: ['public'] }),
  };
  for (const [name, { allow, cidrs, hosts, deny }] of Object.entries(security.network_policies)) {
    const listed: readonly NetworkSet[] = cidrs.length + hosts.length === 0 ? [] : [{ name, cidrs, hosts }];
    made[name] = buildPolicy(name, { allow: [...allow, ...listed], deny });
  }
  const byDefault = made[security.default_policy];
  if (byDefault !== undefined) made['default'] = byDefault;
  return made;
}

function buildPolicy(name: string, rules: Parameters<typeof networkPolicy>[0]): NetworkPolicy {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(`security.network_policies.${name}: ${made.problems.join('; ')}`);
  return made.policy;
}
