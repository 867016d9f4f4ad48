import type { PolicyRules } from '../../net/network-policy.js';

/**
 * Default network policy of command tools: private networks, names under `.lab.internal`, and this machine.
 * Loopback is included so that a first call works; in exchange, anyone with a token can reach services on this machine.
 */
export const defaultNetworkRules: PolicyRules = { allow: ['rfc1918', 'loopback'] };
