import { parseAddress } from '../addresses/addresses.js';
import { cidrOf, parseCidr, type Cidr } from '../addresses/cidrs.js';
import { resolveVetted } from './dns-vetting.js';
import { parseName } from '../addresses/host-names.js';
import type { NetworkPolicy, Refusal } from './network-policy.js';
import type { Resolver } from '../addresses/resolver.js';

/** Kind of a tool's target; `cidr` accepts a network and, as scanners do, a single address or name. */
export type TargetKind = 'host' | 'cidr' | 'url' | 'domain' | 'none';

/** An allowed target in canonical form. */
interface VettedTarget {
  readonly ok: true;
  readonly kind: TargetKind;
  /** Canonical name, address, network or URL. */
  readonly target: string;
  /** All vetted addresses; programs get one of these instead of the name, so that a second lookup cannot differ (DNS rebinding, TOCTOU). */
  readonly addresses: readonly string[];
  readonly name?: string;
  readonly network?: { readonly cidr: string; readonly size: number };
}

/** A target that passes every check without a lookup; `unresolved` if its name must still be resolved and vetted. */
export interface ParsedTarget extends VettedTarget {
  readonly unresolved?: true;
}

/** An allowed target, or the refusal. */
type Vetted = VettedTarget | Refusal;

/** Checks a target against a policy; resolves names exactly once. */
export async function vetTarget(
  kind: TargetKind,
  value: string,
  policy: NetworkPolicy,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Vetted> {
  const parsed = parseTarget(kind, value, policy);
  if (!parsed.ok || !parsed.unresolved || parsed.name === undefined) return parsed;
  const found = await resolveName(parsed.name, policy, resolver, signal);
  if (!found.ok) return found;
  const { unresolved: _, ...target } = parsed;
  return { ...target, addresses: found.addresses };
}

/** Resolves a name that `parseTarget` left unresolved, exactly once, and checks every address. */
export async function resolveName(
  name: string,
  policy: NetworkPolicy,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<{ readonly ok: true; readonly addresses: readonly string[] } | Refusal> {
  const found = await resolveVetted(name, policy, resolver, (address) => policy.address(address, name), signal);
  return found.ok ? { ok: true, addresses: found.addresses.map(({ text }) => text) } : found;
}

/** Checks everything about a target that needs no lookup: its syntax, literal addresses, and the name against the policy. */
export function parseTarget(kind: TargetKind, value: string, policy: NetworkPolicy): ParsedTarget | Refusal {
  if (kind === 'none')
    return value === ''
      ? { ok: true, kind, target: '', addresses: [] }
      : badTarget(policy, 'this tool takes no target');
  if (value.length > 2048 || /[\0-\x20\x7f-\x9f]/.test(value))
    return badTarget(policy, 'the target contains spaces or control characters, or is too long');
  // Without this, a target such as "-oN/etc/cron.d/x" becomes an option of the program (argument injection).
  if (value.startsWith('-')) return badTarget(policy, 'a target must not begin with a hyphen');
  if (kind === 'url') return parseUrl(value, policy);
  if (kind === 'domain') return parseDomain(value, policy);
  if (kind === 'cidr' && value.includes('/')) return parseNetwork(value, policy);
  return parseHost(kind, value, policy);
}

/** Checks an address or a name. */
function parseHost(kind: TargetKind, value: string, policy: NetworkPolicy): ParsedTarget | Refusal {
  const address = parseAddress(value);
  if (address) {
    const decision = policy.address(address);
    return decision.ok ? { ok: true, kind, target: address.text, addresses: [address.text] } : decision;
  }
  const parsed = parseName(value);
  if (!parsed.ok) return badTarget(policy, `${toPrintable(value)} is not a valid target: ${parsed.reason}`);
  const allowed = policy.hostName(parsed.name);
  if (!allowed.ok) return allowed;
  return { ok: true, kind, target: parsed.name, name: parsed.name, addresses: [], unresolved: true };
}

/** Checks a network: every class of address in it must be allowed. */
function parseNetwork(value: string, policy: NetworkPolicy): ParsedTarget | Refusal {
  const network = parseCidr(value);
  if (!network) return badTarget(policy, `${toPrintable(value)} is not a network such as 10.0.0.0/24`);
  const decision = policy.network(network);
  if (!decision.ok) return decision;
  // After the policy: a refusal must not depend on the size.
  if (network.size > BigInt(policy.maxAddresses)) return networkTooLarge(network, policy);
  return {
    ok: true,
    kind: 'cidr',
    target: network.text,
    addresses: [network.text],
    network: { cidr: network.text, size: Number(network.size) },
  };
}

/** Refusal of a large network, with the largest one that would be accepted. */
function networkTooLarge(network: Cidr, policy: NetworkPolicy): Refusal {
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

/** Checks the host of a URL; the rest is passed on. */
function parseUrl(value: string, policy: NetworkPolicy): ParsedTarget | Refusal {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    return badTarget(policy, 'the target must be an http or https URL with a host');
  if (url.username !== '' || url.password !== '')
    return badTarget(policy, 'a URL target must not contain a user name or password');
  url.hash = '';
  // Checks the parsed host: the text may spell 127.0.0.1 as 0x7f.1, which URL parsers normalise (SSRF bypass).
  const host = parseHost('url', url.hostname.replace(/^\[(.*)\]$/, '$1'), policy);
  return host.ok ? { ...host, target: url.href } : host;
}

/** Checks a domain, which is data for the program and not a destination. */
function parseDomain(value: string, policy: NetworkPolicy): ParsedTarget | Refusal {
  const parsed = parseName(value, { underscores: true });
  if (!parsed.ok) return badTarget(policy, `${toPrintable(value)} is not a valid domain: ${parsed.reason}`);
  const decision = policy.hostName(parsed.name);
  return decision.ok ? { ok: true, kind: 'domain', target: parsed.name, name: parsed.name, addresses: [] } : decision;
}

/** Refusal of a malformed target. */
function badTarget(policy: NetworkPolicy, reason: string): Refusal {
  return {
    ok: false,
    code: 'bad_target',
    reason: `${reason}; this tool's policy ${policy.name} allows ${policy.allows}`,
    policy: policy.name,
    hint: `Give a target the policy allows: ${policy.allows}`,
  };
}

// Echoed into logs and messages: bidi controls and confusable letters could make a refusal read differently.
function toPrintable(value: string): string {
  const plain = value.slice(0, 80).replace(/[^!-~]/g, '?');
  return value.length > 80 ? `${plain}…` : plain;
}
