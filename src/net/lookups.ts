import { parseAddress, type Address } from './addresses.js';
import type { Refusal, Verdict } from './policies.js';
import type { Resolver } from './resolver.js';

const maxAddresses = 64;

/** Every address of a name, looked up exactly once and each one judged, or why the name may not be used. */
export async function vettedAddresses(
  name: string,
  policy: { readonly name: string },
  resolver: Resolver,
  judge: (address: Address) => Verdict,
  signal?: AbortSignal,
): Promise<{ readonly ok: true; readonly addresses: readonly Address[] } | Refusal> {
  const unresolved = (reason: string): Refusal => ({
    ok: false,
    code: 'unresolved',
    reason,
    policy: policy.name,
    hint: 'Check the name, or give an address',
  });
  const texts = await resolver(name, signal).catch(() => []);
  if (texts.length > maxAddresses) return unresolved(`${name} has more than ${maxAddresses} addresses`);
  const addresses: Address[] = [];
  for (const text of texts) {
    const address = parseAddress(text);
    if (!address) return unresolved(`${name} has an address of unknown form`);
    const verdict = judge(address);
    // One bad address spoils the name: whoever controls it may choose which one a program would take.
    if (!verdict.ok) return { ...verdict, reason: `${name} leads to ${address.text}: ${verdict.reason}` };
    addresses.push(address);
  }
  return addresses.length > 0 ? { ok: true, addresses } : unresolved(`${name} has no address`);
}
