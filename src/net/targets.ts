import { parseAddress } from './addresses.js';
import { cidrOf, parseCidr, type Cidr } from './cidrs.js';
import { vettedAddresses } from './lookups.js';
import { readName } from './names.js';
import type { NetworkPolicy, Refusal } from './policies.js';
import type { Resolver } from './resolver.js';

/** What a tool points at. `cidr` takes a network and, as scanners do, also one address or one name. */
export type TargetKind = 'host' | 'cidr' | 'url' | 'domain' | 'none';

/** A target that may be used, in the exact form to hand on. */
export interface VettedTarget {
  readonly ok: true;
  readonly kind: TargetKind;
  /** Canonical form of what was asked for: name, address, network or URL. */
  readonly target: string;
  /** Every vetted address; a program gets one of these instead of the name, so a second lookup cannot lead it elsewhere. */
  readonly addresses: readonly string[];
  readonly name?: string;
  readonly network?: { readonly cidr: string; readonly size: number };
}

/** A target to use, or why not. */
export type Vetted = VettedTarget | Refusal;

/** Decides whether a tool under this policy may be pointed at this value, looking names up exactly once. */
export async function vetTarget(
  kind: TargetKind,
  value: string,
  policy: NetworkPolicy,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Vetted> {
  if (kind === 'none')
    return value === '' ? { ok: true, kind, target: '', addresses: [] } : bad(policy, 'this tool takes no target');
  if (value.length > 2048 || /[\0-\x20\x7f-\x9f]/.test(value))
    return bad(policy, 'the target holds spaces or control characters, or is too long');
  if (value.startsWith('-')) return bad(policy, 'a target must not begin with a hyphen');
  if (kind === 'url') return vetUrl(value, policy, resolver, signal);
  if (kind === 'domain') return vetDomain(value, policy);
  if (kind === 'cidr' && value.includes('/')) return vetNetwork(value, policy);
  return vetHost(kind, value, policy, resolver, signal);
}

async function vetHost(
  kind: TargetKind,
  value: string,
  policy: NetworkPolicy,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Vetted> {
  const address = parseAddress(value);
  if (address) {
    const verdict = policy.address(address);
    return verdict.ok ? { ok: true, kind, target: address.text, addresses: [address.text] } : verdict;
  }
  const reading = readName(value);
  if (!reading.ok) return bad(policy, `${shown(value)} is not a valid target: ${reading.reason}`);
  const allowed = policy.hostName(reading.name);
  if (!allowed.ok) return allowed;
  const found = await vettedAddresses(
    reading.name,
    policy,
    resolver,
    (each) => policy.address(each, reading.name),
    signal,
  );
  if (!found.ok) return found;
  return {
    ok: true,
    kind,
    target: reading.name,
    name: reading.name,
    addresses: found.addresses.map((each) => each.text),
  };
}

function vetNetwork(value: string, policy: NetworkPolicy): Vetted {
  const network = parseCidr(value);
  if (!network) return bad(policy, `${shown(value)} is not a network such as 10.0.0.0/24`);
  const verdict = policy.network(network);
  if (!verdict.ok) return verdict;
  if (network.size > BigInt(policy.maxAddresses)) return tooLarge(network, policy);
  return {
    ok: true,
    kind: 'cidr',
    target: network.text,
    addresses: [network.text],
    network: { cidr: network.text, size: Number(network.size) },
  };
}

function tooLarge(network: Cidr, policy: NetworkPolicy): Refusal {
  const hostBits = Math.floor(Math.log2(policy.maxAddresses));
  const smaller = cidrOf(network.base, 128 - hostBits).text;
  const size = network.size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(network.size) : String(network.size);
  return {
    ok: false,
    code: 'too_large',
    reason: `Network too large: ${size} hosts (max: ${policy.maxAddresses})`,
    policy: policy.name,
    hint: `Use ${smaller.slice(smaller.indexOf('/'))} or smaller`,
    data: { network_size: size, max_allowed: policy.maxAddresses, suggested_cidr: smaller },
  };
}

async function vetUrl(value: string, policy: NetworkPolicy, resolver: Resolver, signal?: AbortSignal): Promise<Vetted> {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    return bad(policy, 'the target must be an http or https URL with a host');
  if (url.username !== '' || url.password !== '')
    return bad(policy, 'a URL target must not hold a user name or password');
  url.hash = '';
  // Decided on the parsed host: the string may spell 127.0.0.1 as 0x7f.1, and the program that fetches it will read it so.
  const host = await vetHost('url', url.hostname.replace(/^\[(.*)\]$/, '$1'), policy, resolver, signal);
  return host.ok ? { ...host, target: url.href } : host;
}

function vetDomain(value: string, policy: NetworkPolicy): Vetted {
  const reading = readName(value, { underscores: true });
  if (!reading.ok) return bad(policy, `${shown(value)} is not a valid domain: ${reading.reason}`);
  const verdict = policy.hostName(reading.name);
  return verdict.ok ? { ok: true, kind: 'domain', target: reading.name, name: reading.name, addresses: [] } : verdict;
}

function bad(policy: NetworkPolicy, reason: string): Refusal {
  return {
    ok: false,
    code: 'bad_target',
    reason: `${reason}; this tool's policy ${policy.name} allows ${policy.allows}`,
    policy: policy.name,
    hint: `Give a target the policy allows: ${policy.allows}`,
  };
}

// Echoed into logs and answers: direction marks and look-alike letters could make a refusal read as something else.
function shown(value: string): string {
  const plain = value.slice(0, 80).replace(/[^!-~]/g, '?');
  return value.length > 80 ? `${plain}…` : plain;
}
