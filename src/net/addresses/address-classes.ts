import { metadataNetworks } from '../../lib/text/metadata-networks.js';
import type { Address } from './addresses.js';
import { cidr, contains, covers, type Cidr } from './cidrs.js';

/**
 * Classes of the IP address space; the longest matching prefix decides. A separate table, since the "isPrivate" of a library
 * changes between versions and counts 169.254.169.254 (cloud metadata) or 0.0.0.0 as merely private (SSRF).
 */
const classNetworks = {
  public: ['0.0.0.0/0', '2000::/3', '64:ff9b::/96'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  'unique-local': ['fc00::/7'],
  loopback: ['127.0.0.0/8', '::1/128'],
  'carrier-shared': ['100.64.0.0/10'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  'site-local': ['fec0::/10'],
  unspecified: ['0.0.0.0/8', '::/128'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  broadcast: ['255.255.255.255/32'],
  documentation: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  benchmarking: ['198.18.0.0/15', '2001:2::/48'],
  reserved: ['::/0', '192.0.0.0/24', '192.88.99.0/24', '240.0.0.0/4', '100::/64', '2001::/23', '5f00::/16'],
  'a cloud metadata address': metadataNetworks,
} as const satisfies Record<string, readonly string[]>;

/** Class of an address. */
export type AddressClass = keyof typeof classNetworks;

/** One network of the table with its class. */
interface ClassEntry {
  readonly network: Cidr;
  readonly kind: AddressClass;
}

const entries: readonly ClassEntry[] = Object.entries(classNetworks)
  // Object.entries types its keys as string.
  .flatMap(([kind, networks]) => networks.map((text) => ({ network: cidr(text), kind: kind as AddressClass })))
  .sort((one, other) => other.network.bits - one.network.bits);

const reservedEntry: ClassEntry = { network: cidr('::/0'), kind: 'reserved' };

/** Finds the class of an address and the network that decides it. */
export function classOf(address: Address): ClassEntry {
  return entries.find((entry) => contains(entry.network, address)) ?? reservedEntry;
}

/** All entries that apply to a network: the one that contains it first, then those inside it. */
export function classesIn(network: Cidr): readonly ClassEntry[] {
  const enclosing = entries.find((entry) => covers(entry.network, network)) ?? reservedEntry;
  return [enclosing, ...entries.filter((entry) => covers(network, entry.network))];
}

const ordinaryClasses: ReadonlySet<AddressClass> = new Set(['public', 'private', 'unique-local']);

/**
 * Whether an allow-listed CIDR grants access to an address class: ordinary classes always, the others only if the CIDR is no
 * wider than the class. A broad "0.0.0.0/0" or "10.0.0.0/8" must not open the cloud metadata service by accident (SSRF).
 */
export function grantsAccess(listed: Cidr, entry: ClassEntry): boolean {
  return ordinaryClasses.has(entry.kind) || listed.bits >= entry.network.bits;
}
