import type { Address } from '../addresses/addresses.js';
import { classOf, classesIn, grantsAccess, type AddressClass } from '../addresses/address-classes.js';
import { contains, covers, overlaps, parseCidr, type Cidr } from '../addresses/cidrs.js';
import { embeddedIpv4, mayEmbedIpv4 } from '../addresses/embedded-ipv4.js';
import { matchesName, parseNamePattern, type NamePattern } from '../addresses/host-names.js';

/**
 * Networks and names listed by the operator; `hosts` takes `name`, `*.suffix` or `.suffix`.
 * Loopback, link-local, metadata and similar classes need a CIDR no wider than the class itself.
 */
interface ListedNetworks {
  readonly name?: string;
  readonly cidrs?: readonly string[];
  readonly hosts?: readonly string[];
  readonly deny?: readonly string[];
}

/** A predefined set of networks, or a list. */
export type NetworkSet = 'rfc1918' | 'loopback' | 'public' | ListedNetworks;

/** Rules of a policy: a target is allowed if a set of `allow` matches and no entry of `deny` does. */
export interface PolicyRules {
  readonly allow: readonly NetworkSet[];
  /** Name suffixes that belong to the `rfc1918` and `loopback` sets; `.lab.internal` by default. */
  readonly suffixes?: readonly string[];
  readonly deny?: readonly string[];
  /** Maximum number of addresses in a target network; 1024 by default. */
  readonly maxAddresses?: number;
}

/** Decision of a policy; a refusal states the class of the target and what the policy allows. */
export type PolicyDecision = { readonly ok: true } | Refusal;

/** Reason of a refusal, the policy, and what to do. */
export interface Refusal {
  readonly ok: false;
  readonly code: 'bad_target' | 'not_allowed' | 'too_large' | 'unresolved';
  readonly reason: string;
  readonly policy: string;
  readonly hint?: string;
  readonly data?: Readonly<Record<string, string | number>>;
}

/** Decides about addresses, networks and names; a name is only allowed together with the addresses it resolves to. */
export interface NetworkPolicy {
  readonly name: string;
  readonly allows: string;
  readonly maxAddresses: number;
  /** With `name`, only sets that allow this name can allow the address. */
  readonly address: (address: Address, name?: string) => PolicyDecision;
  readonly network: (network: Cidr) => PolicyDecision;
  readonly hostName: (name: string) => PolicyDecision;
}

/** A compiled set. */
interface AddressSet {
  readonly label: string;
  readonly description: readonly string[];
  readonly classes: readonly AddressClass[];
  readonly cidrs: readonly Cidr[];
  readonly allowsName: (name: string) => boolean;
  readonly allowsLiterals: boolean;
}

/** Names that count as local by default. */
const labSuffixes = ['.lab.internal'];
/** Largest network that a scan may target. */
const defaultMaxAddresses = 1024;

/** Compiles rules to a policy, or returns all their problems. */
export function networkPolicy(
  rules: PolicyRules,
):
  { readonly ok: true; readonly policy: NetworkPolicy } | { readonly ok: false; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const patterns = (texts: readonly string[], what: string) =>
    texts.flatMap(
      (text) =>
        parseNamePattern(text) ??
        (problems.push(`${what} ${JSON.stringify(text)} is not a host name or a .suffix`), []),
    );
  const networks = (texts: readonly string[], what: string) =>
    texts.flatMap((text) => parseCidr(text) ?? (problems.push(`${what} ${JSON.stringify(text)} is not a network`), []));
  const isNetwork = (text: string) => parseCidr(text) !== undefined;

  const suffixes = patterns(rules.suffixes ?? labSuffixes, 'suffix').map((pattern) => ({
    ...pattern,
    text: `.${pattern.name}`,
    below: true,
  }));
  // Denials of all sets apply to the whole policy.
  const denied = [
    ...(rules.deny ?? []),
    ...rules.allow.flatMap((set) => (typeof set === 'string' ? [] : (set.deny ?? []))),
  ];
  const deniedNetworks = networks(denied.filter(isNetwork), 'deny');
  const deniedNames = patterns(
    denied.filter((text) => !isNetwork(text)),
    'deny',
  );
  const sets = rules.allow.map((set): AddressSet => {
    if (typeof set === 'string') return namedSet(set, suffixes);
    const hosts = set.hosts ?? [];
    return listedSet(
      set,
      networks([...(set.cidrs ?? []), ...hosts.filter(isNetwork)], 'network'),
      patterns(
        hosts.filter((host) => !isNetwork(host)),
        'host',
      ),
    );
  });
  const maxAddresses = rules.maxAddresses ?? defaultMaxAddresses;
  if (!Number.isSafeInteger(maxAddresses) || maxAddresses < 1)
    problems.push('maxAddresses must be a whole number of at least 1');
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, policy: compilePolicy(sets, deniedNetworks, deniedNames, maxAddresses) };
}

/** Default policy of command tools: private addresses, and names under `.lab.internal` that resolve to them. */
export const labPolicy: NetworkPolicy = compilePolicy(
  [namedSet('rfc1918', suffixPatterns(labSuffixes))],
  [],
  [],
  defaultMaxAddresses,
);

/** Compiles sets into decisions. */
function compilePolicy(
  sets: readonly AddressSet[],
  deniedNetworks: readonly Cidr[],
  deniedNames: readonly NamePattern[],
  maxAddresses: number,
): NetworkPolicy {
  const name = sets.map((set) => set.label).join('+') || 'nothing';
  const allows = [...new Set(sets.flatMap((set) => set.description))].join(' or ') || 'nothing';
  const refuse = (subject: string): Refusal => ({
    ok: false,
    code: 'not_allowed',
    reason: `${subject}; this tool's policy ${name} allows ${allows}`,
    policy: name,
    hint: `Choose a target the policy allows: ${allows}`,
  });
  const rejection = (address: Address, candidates: readonly AddressSet[]): string | undefined => {
    // Denials first: they override every set.
    if (deniedNetworks.some((network) => contains(network, address))) return `${address.text} is on the deny list`;
    const entry = classOf(address);
    const isAllowed = candidates.some(
      (set) =>
        set.classes.includes(entry.kind) ||
        set.cidrs.some((network) => contains(network, address) && grantsAccess(network, entry)),
    );
    return isAllowed ? undefined : `${address.text} is ${entry.kind}`;
  };
  return {
    name,
    allows,
    maxAddresses,
    address: (address, host) => {
      // Each set allows its own names and addresses; a name of one must not open the networks of another.
      const candidates = sets.filter((set) => (host === undefined ? set.allowsLiterals : set.allowsName(host)));
      const outside = rejection(address, candidates);
      if (outside !== undefined) return refuse(outside);
      for (const inner of embeddedIpv4(address)) {
        const inside = rejection(inner, candidates);
        if (inside !== undefined) return refuse(`${address.text} embeds ${inner.text}, and ${inside}`);
      }
      return { ok: true };
    },
    network: (network) => {
      if (deniedNetworks.some((denied) => overlaps(denied, network)))
        return refuse(`${network.text} overlaps the deny list`);
      // Such a network could not be checked by its bounds.
      if (mayEmbedIpv4(network)) return refuse(`${network.text} contains addresses that embed IPv4 addresses`);
      const literal = sets.filter((set) => set.allowsLiterals);
      const listed = literal.flatMap((set) => set.cidrs.filter((cidr) => covers(cidr, network)));
      const outside = classesIn(network).find(
        (entry) =>
          !literal.some((set) => set.classes.includes(entry.kind)) && !listed.some((cidr) => grantsAccess(cidr, entry)),
      );
      return outside === undefined ? { ok: true } : refuse(`${network.text} is or contains ${outside.kind}`);
    },
    hostName: (host) => {
      if (deniedNames.some((pattern) => matchesName(pattern, host))) return refuse(`${host} is on the deny list`);
      return sets.some((set) => set.allowsName(host)) ? { ok: true } : refuse(`${host} is not an allowed name`);
    },
  };
}

/** A predefined set. */
function namedSet(name: 'rfc1918' | 'loopback' | 'public', suffixes: readonly NamePattern[]): AddressSet {
  const inSuffix = (host: string) => suffixes.some((pattern) => matchesName(pattern, host));
  const suffixTexts = suffixes.map((pattern) => pattern.text);
  const plain = { label: name, cidrs: [], allowsLiterals: true };
  if (name === 'rfc1918')
    return {
      ...plain,
      description: ['RFC1918', ...suffixTexts],
      classes: ['private', 'unique-local'],
      allowsName: inSuffix,
    };
  if (name === 'public')
    return { ...plain, description: ['public addresses'], classes: ['public'], allowsName: () => true };
  const isLocalhost = (host: string) => host === 'localhost' || host.endsWith('.localhost');
  return {
    ...plain,
    description: ['loopback'],
    classes: ['loopback'],
    allowsName: (host) => isLocalhost(host) || inSuffix(host),
  };
}

// A host listed without a network may have any ordinary address; special classes (metadata, loopback) still need an explicit CIDR.
function listedSet(list: ListedNetworks, cidrs: readonly Cidr[], hosts: readonly NamePattern[]): AddressSet {
  return {
    label: list.name ?? 'listed',
    description: [...cidrs.map((network) => network.text), ...hosts.map((pattern) => pattern.text)],
    classes: cidrs.length === 0 ? ['public', 'private', 'unique-local'] : [],
    cidrs,
    allowsName: (host) => hosts.some((pattern) => matchesName(pattern, host)),
    allowsLiterals: cidrs.length > 0,
  };
}

/** Patterns of suffixes. */
function suffixPatterns(texts: readonly string[]): readonly NamePattern[] {
  return texts.flatMap((text) => parseNamePattern(text) ?? []);
}
