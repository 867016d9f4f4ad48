import type { Address } from './addresses.js';
import { cidr, contains, covers, type Cidr } from './cidrs.js';

/**
 * What kind of place each part of the address space is, by our own table: the longest matching prefix decides.
 * A library's "isPrivate" changes between versions and counts 169.254.169.254 or 0.0.0.0 as merely private.
 */
const table = {
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
  // Where clouds answer with a machine's credentials: AWS, GCP, Azure, OpenStack, Oracle, Alibaba, Scaleway, and ECS task roles.
  'a cloud metadata address': [
    '169.254.169.254/32',
    '169.254.170.2/32',
    '169.254.170.23/32',
    '168.63.129.16/32',
    '100.100.100.200/32',
    '192.0.0.192/32',
    'fd00:ec2::/32',
    'fd20:ce::254/128',
    'fd00:42::42/128',
    'fd00:c1::a9fe:a9fe/128',
    'fe80::a9fe:a9fe/128',
  ],
} as const satisfies Record<string, readonly string[]>;

/** The kind of place an address is. */
export type AddressClass = keyof typeof table;

/** One line of the table. */
export interface ClassEntry {
  readonly network: Cidr;
  readonly kind: AddressClass;
}

const entries: readonly ClassEntry[] = Object.entries(table)
  // Object.entries forgets that its keys are the keys of the table.
  .flatMap(([kind, networks]) => networks.map((text) => ({ network: cidr(text), kind: kind as AddressClass })))
  .sort((one, other) => other.network.bits - one.network.bits);

const rest: ClassEntry = { network: cidr('::/0'), kind: 'reserved' };

/** What kind of place this address is, and the line of the table that says so. */
export function classOf(address: Address): ClassEntry {
  return entries.find((entry) => contains(entry.network, address)) ?? rest;
}

/** Every line of the table that says something about this network, the one it lies in first. */
export function classesIn(network: Cidr): readonly ClassEntry[] {
  const around = entries.find((entry) => covers(entry.network, network)) ?? rest;
  return [around, ...entries.filter((entry) => covers(network, entry.network))];
}

const ordinary: ReadonlySet<AddressClass> = new Set(['public', 'private', 'unique-local']);

/**
 * Whether naming a network opens what this line of the table describes: ordinary places always, the others only when the network
 * is no wider than the line. "0.0.0.0/0" or "10.0.0.0/8" is written in a hurry; nobody who writes it means the metadata service.
 */
export function opens(listed: Cidr, entry: ClassEntry): boolean {
  return ordinary.has(entry.kind) || listed.bits >= entry.network.bits;
}
