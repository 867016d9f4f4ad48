import type { Config } from '../config/schema.js';
import type { NetworkPolicy, NetworkSet } from '../net/policies.js';
import { networkPolicy } from '../net/policies.js';

/** The named network policies of a configuration; `default` is the one of tools that name none. */
export function policiesOf({ security }: Config): Readonly<Record<string, NetworkPolicy>> {
  const made: Record<string, NetworkPolicy> = {
    rfc1918: policy('rfc1918', { allow: ['rfc1918'] }),
    loopback: policy('loopback', { allow: ['loopback'] }),
    local: policy('local', { allow: ['rfc1918', 'loopback'] }),
    public: policy('public', { allow: ['public'] }),
  };
  for (const [name, { allow, cidrs, hosts, deny }] of Object.entries(security.network_policies)) {
    const listed: readonly NetworkSet[] = cidrs.length + hosts.length === 0 ? [] : [{ name, cidrs, hosts }];
    made[name] = policy(name, { allow: [...allow, ...listed], deny });
  }
  const byDefault = made[security.default_policy];
  if (byDefault !== undefined) made['default'] = byDefault;
  return made;
}

function policy(name: string, rules: Parameters<typeof networkPolicy>[0]): NetworkPolicy {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(`security.network_policies.${name}: ${made.problems.join('; ')}`);
  return made.policy;
}
