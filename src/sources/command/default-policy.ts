import type { PolicyRules } from '../../net/policies.js';

/**
 * Where commands may be pointed unless the operator says otherwise: private networks, names under `.lab.internal`, and this machine.
 * Loopback is in so that the first call of a newcomer works; everything on it that listens can be reached by who holds a token.
 */
export const defaultNetworkRules: PolicyRules = { allow: ['rfc1918', 'loopback'] };
