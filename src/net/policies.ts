import type { Address } from './addresses.js';
import { classOf, classesIn, opens, type AddressClass } from './address-classes.js';
import { contains, covers, overlaps, parseCidr, type Cidr } from './cidrs.js';
import { embeddedIn, mayEmbed } from './embedded.js';
import { matchesName, namePattern, type NamePattern } from './names.js';

/**
 * Networks and names an operator lists by hand; `hosts` takes `name`, `*.suffix` or `.suffix`.
 * Loopback, link-local, metadata and the like open only to a network no wider than their own.
 */
export interface ListedNetworks {
  readonly name?: string;
  readonly cidrs?: readonly string[];
  readonly hosts?: readonly string[];
  readonly deny?: readonly string[];
}

/** A set of networks known by name, or a list. */
export type NetworkSet = 'rfc1918' | 'loopback' | 'public' | ListedNetworks;

/** What a policy is made of: a target passes when any set of `allow` takes it and nothing in `deny` names it. */
export interface PolicyRules {
  readonly allow: readonly NetworkSet[];
  /** Name suffixes that belong to the `rfc1918` and `loopback` sets; `.lab.internal` unless told. */
  readonly suffixes?: readonly string[];
  readonly deny?: readonly string[];
  /** The largest network a target may span; 1024 unless told. */
  readonly maxAddresses?: number;
}

/** Whether something may be reached; a refusal says in one sentence what it is and what the policy allows. */
export type Verdict = { readonly ok: true } | Refusal;

/** Why not, under which policy, and what to do about it. */
export interface Refusal {
  readonly ok: false;
  readonly code: 'bad_target' | 'not_allowed' | 'too_large' | 'unresolved';
  readonly reason: string;
  readonly policy: string;
  readonly hint?: string;
  readonly data?: Readonly<Record<string, string | number>>;
}

/** Decides about addresses, networks and names; a name passes only together with the addresses it stands for. */
export interface NetworkPolicy {
  readonly name: string;
  readonly allows: string;
  readonly maxAddresses: number;
  /** With `name`, only the sets that take this name may take the address. */
  readonly address: (address: Address, name?: string) => Verdict;
  readonly network: (network: Cidr) => Verdict;
  readonly hostName: (name: string) => Verdict;
}

interface AddressSet {
  readonly label: string;
  readonly says: readonly string[];
  readonly classes: readonly AddressClass[];
  readonly cidrs: readonly Cidr[];
  readonly takesName: (name: string) => boolean;
  readonly takesLiterals: boolean;
}

const labSuffixes = ['.lab.internal'];
const defaultMaxAddresses = 1024;

/** The policy these rules describe, or every mistake in them. */
export function networkPolicy(
  rules: PolicyRules,
):
  { readonly ok: true; readonly policy: NetworkPolicy } | { readonly ok: false; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const patterns = (texts: readonly string[], what: string) =>
    texts.flatMap(
      (text) =>
        namePattern(text) ?? (problems.push(`${what} ${JSON.stringify(text)} is not a host name or a .suffix`), []),
    );
  const networks = (texts: readonly string[], what: string) =>
    texts.flatMap((text) => parseCidr(text) ?? (problems.push(`${what} ${JSON.stringify(text)} is not a network`), []));
  const isNetwork = (text: string) => parseCidr(text) !== undefined;

  const suffixes = patterns(rules.suffixes ?? labSuffixes, 'suffix').map((pattern) => ({
    ...pattern,
    text: `.${pattern.name}`,
    below: true,
  }));
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
  return { ok: true, policy: policyOf(sets, deniedNetworks, deniedNames, maxAddresses) };
}

/** The policy of command tools unless configured: private addresses, or names under `.lab.internal` that lead to them. */
export const labPolicy: NetworkPolicy = policyOf(
  [namedSet('rfc1918', suffixPatterns(labSuffixes))],
  [],
  [],
  defaultMaxAddresses,
);

function policyOf(
  sets: readonly AddressSet[],
  deniedNetworks: readonly Cidr[],
  deniedNames: readonly NamePattern[],
  maxAddresses: number,
): NetworkPolicy {
  const name = sets.map((set) => set.label).join('+') || 'nothing';
  const allows = [...new Set(sets.flatMap((set) => set.says))].join(' or ') || 'nothing';
  const refuse = (subject: string): Refusal => ({
    ok: false,
    code: 'not_allowed',
    reason: `${subject}; this tool's policy ${name} allows ${allows}`,
    policy: name,
    hint: `Choose a target the policy allows: ${allows}`,
  });
  const view = (address: Address, candidates: readonly AddressSet[]): string | undefined => {
    if (deniedNetworks.some((network) => contains(network, address))) return `${address.text} is on the deny list`;
    const entry = classOf(address);
    const isNamed = candidates.some(
      (set) =>
        set.classes.includes(entry.kind) ||
        set.cidrs.some((network) => contains(network, address) && opens(network, entry)),
    );
    return isNamed ? undefined : `${address.text} is ${entry.kind}`;
  };
  return {
    name,
    allows,
    maxAddresses,
    address: (address, host) => {
      const candidates = sets.filter((set) => (host === undefined ? set.takesLiterals : set.takesName(host)));
      const outside = view(address, candidates);
      if (outside !== undefined) return refuse(outside);
      for (const inner of embeddedIn(address)) {
        const inside = view(inner, candidates);
        if (inside !== undefined) return refuse(`${address.text} leads to ${inner.text}, and ${inside}`);
      }
      return { ok: true };
    },
    network: (network) => {
      if (deniedNetworks.some((denied) => overlaps(denied, network)))
        return refuse(`${network.text} touches the deny list`);
      if (mayEmbed(network)) return refuse(`${network.text} holds addresses that lead to others`);
      const literal = sets.filter((set) => set.takesLiterals);
      const listed = literal.flatMap((set) => set.cidrs.filter((each) => covers(each, network)));
      const outside = classesIn(network).find(
        (entry) =>
          !literal.some((set) => set.classes.includes(entry.kind)) && !listed.some((each) => opens(each, entry)),
      );
      return outside === undefined ? { ok: true } : refuse(`${network.text} is or holds ${outside.kind}`);
    },
    hostName: (host) => {
      if (deniedNames.some((pattern) => matchesName(pattern, host))) return refuse(`${host} is on the deny list`);
      return sets.some((set) => set.takesName(host)) ? { ok: true } : refuse(`${host} is not an allowed name`);
    },
  };
}

function namedSet(name: 'rfc1918' | 'loopback' | 'public', suffixes: readonly NamePattern[]): AddressSet {
  const inSuffix = (host: string) => suffixes.some((pattern) => matchesName(pattern, host));
  const suffixTexts = suffixes.map((pattern) => pattern.text);
  const plain = { label: name, cidrs: [], takesLiterals: true };
  if (name === 'rfc1918')
    return { ...plain, says: ['RFC1918', ...suffixTexts], classes: ['private', 'unique-local'], takesName: inSuffix };
  if (name === 'public') return { ...plain, says: ['public addresses'], classes: ['public'], takesName: () => true };
  const isLocalhost = (host: string) => host === 'localhost' || host.endsWith('.localhost');
  return {
    ...plain,
    says: ['loopback'],
    classes: ['loopback'],
    takesName: (host) => isLocalhost(host) || inSuffix(host),
  };
}

// A host listed without a network may live at any ordinary address; the places nobody should reach still need their network named.
function listedSet(list: ListedNetworks, cidrs: readonly Cidr[], hosts: readonly NamePattern[]): AddressSet {
  return {
    label: list.name ?? 'listed',
    says: [...cidrs.map((network) => network.text), ...hosts.map((pattern) => pattern.text)],
    classes: cidrs.length === 0 ? ['public', 'private', 'unique-local'] : [],
    cidrs,
    takesName: (host) => hosts.some((pattern) => matchesName(pattern, host)),
    takesLiterals: cidrs.length > 0,
  };
}

function suffixPatterns(texts: readonly string[]): readonly NamePattern[] {
  return texts.flatMap((text) => namePattern(text) ?? []);
}
