import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { parseAddress, type Address } from './addresses.js';
import type { Judge } from './egress-rules.js';
import { failed, refused, type EgressRules, type Failed, type Refused } from './egress-types.js';
import { vettedAddresses } from './lookups.js';
import type { Resolver } from './resolver.js';
import { undici } from './undici.js';

/** An error undici carries from the connector back to the request; it only transports a value. */
export class ConnectRefusal extends Error {
  // Not one of undici's own socket codes: those make it dial again for ever.
  readonly code = 'EGRESS_REFUSED';
  constructor(readonly outcome: Refused | Failed) {
    super(outcome.message);
  }
}

const maxAttempts = 4;

/** Dials only addresses that were vetted for this very connection, and looks again at whom it reached. */
export function guardedConnect(
  rules: EgressRules,
  judge: Judge,
  resolver: Resolver,
  dials = plainDials(rules),
): buildConnector.connector {
  return (options, callback) => {
    void connected(options, dials, rules, judge, resolver).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error('the connection failed'), null),
    );
  };
}

/** How to dial: briskly while other addresses are left to try, patiently for the last. */
export interface Dials {
  readonly brisk: buildConnector.connector;
  readonly patient: buildConnector.connector;
}

function plainDials(rules: EgressRules): Dials {
  const timeout = rules.connectTimeoutMs ?? 10_000;
  // Named explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise switch verification off.
  const options = { ...rules.tls, rejectUnauthorized: true };
  const { buildConnector: connector } = undici();
  return {
    brisk: connector({ ...options, timeout: Math.min(2_500, timeout) }),
    patient: connector({ ...options, timeout }),
  };
}

/** The addresses a host may be reached at now, or why it may not. */
export async function placesOf(
  hostname: string,
  rules: EgressRules,
  judge: Judge,
  resolver: Resolver,
): Promise<readonly Address[] | Refused | Failed> {
  const place = judge.host(hostname);
  if (place.kind === 'refused') return place;
  if (place.kind === 'address') return [place.address];
  const found = await vettedAddresses(place.name, rules.networks, resolver, (address) =>
    judge.address(address, place.name),
  );
  if (found.ok) return found.addresses;
  return found.code === 'unresolved' ? failed('dns', found.reason) : refused('address', found.reason);
}

async function connected(
  options: buildConnector.Options,
  dials: Dials,
  rules: EgressRules,
  judge: Judge,
  resolver: Resolver,
): Promise<Socket> {
  const places = await placesOf(options.hostname, rules, judge, resolver);
  if (!isList(places)) throw new ConnectRefusal(places);
  let last: unknown;
  for (const [index, address] of places.slice(0, maxAttempts).entries()) {
    const dial = index === Math.min(places.length, maxAttempts) - 1 ? dials.patient : dials.brisk;
    try {
      return await dialled({ ...options, hostname: address.text }, dial, address);
    } catch (error) {
      if (error instanceof ConnectRefusal) throw error;
      last = error;
    }
  }
  throw last;
}

// SNI and Host stay the name: only where the bytes go is replaced.
function dialled(options: buildConnector.Options, dial: buildConnector.connector, address: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    dial(options, (error, socket) => {
      if (error || !socket) return reject(error ?? new Error('no socket'));
      if (parseAddress(socket.remoteAddress ?? '')?.text === address.text) return resolve(socket);
      socket.destroy();
      return reject(
        new ConnectRefusal(refused('address', 'the connection arrived at another address than the one vetted')),
      );
    });
  });
}

function isList(value: readonly Address[] | Refused | Failed): value is readonly Address[] {
  return Array.isArray(value);
}
