import { parseAddress, type Address } from '../addresses/addresses.js';
import type { Refusal, PolicyDecision } from './network-policy.js';
import type { Resolver } from '../addresses/resolver.js';

/** A name with more addresses is an attack on the checks. */
const maxAddresses = 64;

/** Resolves a name exactly once and checks every address; refuses the name if one is forbidden (DNS rebinding). */
export async function resolveVetted(
  name: string,
  policy: { readonly name: string },
  resolver: Resolver,
  check: (address: Address) => PolicyDecision,
  signal?: AbortSignal,
): Promise<{ readonly ok: true; readonly addresses: readonly Address[] } | Refusal> {
  const unresolved = (reason: string): Refusal => ({
    ok: false,
    code: 'unresolved',
    reason,
    policy: policy.name,
    hint: 'Check the name, or use an IP address',
  });
  // A failing resolver and an unknown name are the same to the caller.
  const texts = await resolver(name, signal).catch(() => []);
  if (texts.length > maxAddresses) return unresolved(`${name} resolves to more than ${maxAddresses} addresses`);
  const addresses: Address[] = [];
  for (const text of texts) {
    const address = parseAddress(text);
    if (!address) return unresolved(`${name} resolves to an invalid address`);
    const decision = check(address);
    // One forbidden address is enough: the attacker who controls the name controls which one is dialled (DNS rebinding).
    if (!decision.ok) return { ...decision, reason: `${name} resolves to ${address.text}: ${decision.reason}` };
    addresses.push(address);
  }
  return addresses.length > 0 ? { ok: true, addresses } : unresolved(`cannot resolve ${name}`);
}
