import { egress } from '../../src/net/egress/egress.js';
import type { Egress, EgressRules } from '../../src/net/egress/egress-types.js';
import { networkPolicy, type NetworkPolicy, type PolicyRules } from '../../src/net/egress/network-policy.js';

/** The policy of rules known to be sound. */
export function policyOf(rules: PolicyRules): NetworkPolicy {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(made.problems.join('; '));
  return made.policy;
}

/** An egress to this machine alone: names under `.test` and `.lab.internal` lead to 127.0.0.1. */
export function localEgress(rules: Partial<EgressRules> = {}): Egress {
  return egress({
    networks: policyOf({ allow: ['loopback', { cidrs: ['127.0.0.0/8'], hosts: ['.test', '.lab.internal'] }] }),
    ports: 'any',
    resolver: () => Promise.resolve(['127.0.0.1']),
    ...rules,
  });
}
