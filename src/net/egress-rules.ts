import { lru } from '../lib/lru.js';
import { parseAddress, type Address } from './addresses.js';
import { refused, type EgressRules, type Refused } from './egress-types.js';
import { matchesName, namePattern, readName } from './names.js';
import type { Verdict } from './policies.js';

/** Where a URL leads: a name still to be looked up, or an address already judged. */
export type Place =
  { readonly kind: 'name'; readonly name: string } | { readonly kind: 'address'; readonly address: Address };

/** The rules, read once and ready to judge. */
export interface Judge {
  readonly url: (given: string | URL, base?: URL) => { readonly kind: 'admitted'; readonly url: URL } | Refused;
  readonly host: (hostname: string) => Place | Refused;
  readonly address: (address: Address, name: string) => Verdict;
}

const everyHost = '*';
/** Addresses that are remembered as admitted. */
const mostRemembered = 64;
const defaultPorts = [80, 443];

/** Every mistake in the rules; rules without one are safe to give to `egress`. */
export function egressProblems(rules: EgressRules): readonly string[] {
  const problems = (rules.hosts ?? []).flatMap((host) => {
    if (host === everyHost)
      return rules.insecureDev
        ? []
        : ['allowed host * lets every request out; name the hosts, or set the insecure development switch'];
    return literal(host) || namePattern(host)
      ? []
      : [`allowed host ${JSON.stringify(host)} is not a host name, a .suffix or an address`];
  });
  if (rules.ports !== undefined && rules.ports !== 'any') {
    problems.push(
      ...rules.ports
        .filter((port) => !Number.isInteger(port) || port < 1 || port > 65_535)
        .map((port) => `port ${port} is not between 1 and 65535`),
    );
  }
  const numbers = [
    'timeoutMs',
    'connectTimeoutMs',
    'maxResponseBytes',
    'maxHeaderBytes',
    'maxUnpackRatio',
    'connectionsPerHost',
    'maxInFlight',
    'keepAliveMs',
  ] as const;
  for (const name of numbers) {
    const value = rules[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      problems.push(`${name} must be a whole number above 0`);
  }
  if (
    rules.maxRedirects !== undefined &&
    !(Number.isSafeInteger(rules.maxRedirects) && rules.maxRedirects >= 0 && rules.maxRedirects <= 3)
  )
    problems.push('maxRedirects must be 0 to 3');
  return problems;
}

/** The host list of a setting whose entries stand for themselves and everything below, such as `MCP_ALLOWED_DOMAINS`. */
export function withSubdomains(domains: readonly string[]): readonly string[] {
  return domains.flatMap((domain) =>
    domain === everyHost || literal(domain) || domain.startsWith('.') ? [domain] : [domain, `.${domain}`],
  );
}

/** Makes the rules ready; rules with problems are a bug of the caller, who can ask first. */
export function judgeOf(rules: EgressRules): Judge {
  const problems = egressProblems(rules);
  if (problems.length > 0) throw new Error(`unsafe egress rules: ${problems.join('; ')}`);
  const schemes = new Set((rules.schemes ?? ['http', 'https']).map((scheme) => `${scheme}:`));
  const ports = rules.ports === 'any' ? undefined : new Set(rules.ports ?? defaultPorts);
  const admitsName = nameRule(rules);
  const admitsLiteral = literalRule(rules);

  const host = (hostname: string): Place | Refused => {
    const address = literal(hostname);
    if (address) {
      if (!admitsLiteral(address)) return refused('host', `host ${address.text} is not in the allowed hosts`);
      const verdict = rules.networks.address(address);
      return verdict.ok ? { kind: 'address', address } : refused('address', verdict.reason);
    }
    const reading = readName(hostname, { underscores: true });
    if (!reading.ok) return refused('bad_url', `the URL has no usable host: ${reading.reason}`);
    return admitsName(reading.name) ?? { kind: 'name', name: reading.name };
  };

  // A source asks for the same few addresses again and again, and what the rules say of a text does not change.
  const admitted = lru<string, { readonly kind: 'admitted'; readonly url: URL }>(mostRemembered);

  return {
    host,
    address: (address, name) => (rules.hosts ? rules.networks.address(address) : rules.networks.address(address, name)),
    url: (given, base) => {
      const known = typeof given === 'string' && base === undefined ? admitted.get(given) : undefined;
      if (known) return known;
      const url = typeof given === 'string' ? parsed(given, base) : new URL(given);
      if (!url) return refused('bad_url', 'the URL cannot be read');
      if (!schemes.has(url.protocol)) return refused('scheme', `scheme ${url.protocol.slice(0, 20)} is not allowed`);
      if (url.username !== '' || url.password !== '')
        return refused('userinfo', 'the URL holds a user name or password');
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
      if (ports && !ports.has(port)) return refused('port', `port ${port} is not allowed`);
      const place = host(url.hostname);
      if (place.kind === 'refused') return place;
      // A trailing dot makes the same host a different string: to the list, to the connection pool, and to the certificate.
      if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
      if (url.hash !== '') url.hash = '';
      const verdict = { kind: 'admitted', url } as const;
      if (typeof given === 'string' && base === undefined) admitted.set(given, verdict);
      return verdict;
    },
  };
}

function nameRule(rules: EgressRules): (name: string) => Refused | undefined {
  if (!rules.hosts) {
    return (name) => {
      const verdict = rules.networks.hostName(name);
      return verdict.ok ? undefined : refused('host', verdict.reason);
    };
  }
  if (rules.hosts.includes(everyHost)) return () => undefined;
  const patterns = rules.hosts.flatMap((text) => (literal(text) ? [] : (namePattern(text) ?? [])));
  const list = rules.hosts.slice(0, 10).join(', ');
  return (name) =>
    patterns.some((pattern) => matchesName(pattern, name))
      ? undefined
      : refused('host', `host '${name}' not in allowed domains: [${list}]`);
}

function literalRule(rules: EgressRules): (address: Address) => boolean {
  if (!rules.hosts || rules.hosts.includes(everyHost)) return () => true;
  const listed = new Set(rules.hosts.flatMap((text) => literal(text)?.text ?? []));
  return (address) => listed.has(address.text);
}

function parsed(text: string, base: URL | undefined): URL | undefined {
  // The URL parser drops tabs and newlines silently, so "http://good\n.evil" would be judged as another string than the log shows.
  if (text.length > 8_192 || /[\0-\x1f\x7f]/.test(text)) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function literal(host: string): Address | undefined {
  return parseAddress(host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
}
