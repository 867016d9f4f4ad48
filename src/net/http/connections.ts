import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { parseAddress, type Address } from '../addresses/addresses.js';
import type { CompiledEgressRules } from '../egress/egress-rules.js';
import { toFailure, toRefusal, type EgressRules, type Failed, type Refused } from '../egress/egress-types.js';
import { resolveVetted } from '../egress/dns-vetting.js';
import type { Resolver } from '../addresses/resolver.js';
import { undici } from './undici.js';

/** Error that carries a refusal from the connector through undici back to the request. */
export class ConnectRefusal extends Error {
  // Not one of undici's own socket error codes: those make it retry forever.
  readonly code = 'EGRESS_REFUSED';
  constructor(readonly outcome: Refused | Failed) {
    super(outcome.message);
  }
}

/** Addresses tried per connection. */
const maxAttempts = 4;

/** Connects only to addresses vetted for this connection, and verifies the remote address afterwards (DNS rebinding, SSRF). */
export function guardedConnector(
  rules: EgressRules,
  compiled: CompiledEgressRules,
  resolver: Resolver,
  connectors = defaultConnectors(rules),
): buildConnector.connector {
  return (options, callback) => {
    void connectVetted(options, connectors, rules, compiled, resolver).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error('the connection failed'), null),
    );
  };
}

/** Connectors with a short timeout while other addresses are left to try, and the full one for the last. */
export interface Connectors {
  readonly short: buildConnector.connector;
  readonly full: buildConnector.connector;
}

/** Connectors of undici with certificate verification. */
function defaultConnectors(rules: EgressRules): Connectors {
  const timeout = rules.connectTimeoutMs ?? 10_000;
  // Explicit, since NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise disable certificate verification.
  const options = { ...rules.tls, rejectUnauthorized: true };
  const { buildConnector: connector } = undici();
  return {
    short: connector({ ...options, timeout: Math.min(2_500, timeout) }),
    full: connector({ ...options, timeout }),
  };
}

/** Resolves a host to its vetted addresses, or refuses it. */
export async function resolveHost(
  hostname: string,
  rules: EgressRules,
  compiled: CompiledEgressRules,
  resolver: Resolver,
): Promise<readonly Address[] | Refused | Failed> {
  const target = compiled.host(hostname);
  if (target.kind === 'refused') return target;
  if (target.kind === 'address') return [target.address];
  const found = await resolveVetted(target.name, rules.networks, resolver, (address) =>
    compiled.address(address, target.name),
  );
  if (found.ok) return found.addresses;
  return found.code === 'unresolved' ? toFailure('dns', found.reason) : toRefusal('address', found.reason);
}

/** Tries vetted addresses one after the other. */
async function connectVetted(
  options: buildConnector.Options,
  connectors: Connectors,
  rules: EgressRules,
  compiled: CompiledEgressRules,
  resolver: Resolver,
): Promise<Socket> {
  const addresses = await resolveHost(options.hostname, rules, compiled, resolver);
  if (!isAddressList(addresses)) throw new ConnectRefusal(addresses);
  let lastError: unknown;
  for (const [index, address] of addresses.slice(0, maxAttempts).entries()) {
    const dial = index === Math.min(addresses.length, maxAttempts) - 1 ? connectors.full : connectors.short;
    try {
      return await dialAddress({ ...options, hostname: address.text }, dial, address);
    } catch (error) {
      // A refusal is final: another address would be refused as well.
      if (error instanceof ConnectRefusal) throw error;
      lastError = error;
    }
  }
  throw lastError;
}

// Only the destination is replaced; SNI and Host keep the name.
function dialAddress(
  options: buildConnector.Options,
  dial: buildConnector.connector,
  address: Address,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    dial(options, (error, socket) => {
      if (error || !socket) return reject(error ?? new Error('no socket'));
      if (parseAddress(socket.remoteAddress ?? '')?.text === address.text) return resolve(socket);
      socket.destroy();
      return reject(
        new ConnectRefusal(toRefusal('address', 'the connection reached a different address than the one vetted')),
      );
    });
  });
}

/** Distinguishes addresses from a refusal. */
function isAddressList(value: readonly Address[] | Refused | Failed): value is readonly Address[] {
  return Array.isArray(value);
}
