import { lru } from '../../lib/lru.js';
import { parseAddress, type Address } from '../addresses/addresses.js';
import { toRefusal, type EgressRules, type Refused } from './egress-types.js';
import { matchesName, parseNamePattern, parseName } from '../addresses/host-names.js';
import type { PolicyDecision } from './network-policy.js';

/** Host of a URL: a name still to be resolved, or an address that was already checked. */
type HostTarget =
  { readonly kind: 'name'; readonly name: string } | { readonly kind: 'address'; readonly address: Address };

/** Egress rules in compiled form. */
export interface CompiledEgressRules {
  readonly url: (given: string | URL, base?: URL) => { readonly kind: 'admitted'; readonly url: URL } | Refused;
  readonly host: (hostname: string) => HostTarget | Refused;
  readonly address: (address: Address, name: string) => PolicyDecision;
}

/** Allows any host; only with --insecure-dev. */
const everyHost = '*';
/** Size of the cache of allowed URLs. */
const maxCachedUrls = 64;
/** Ports without a declaration. */
const defaultPorts = [80, 443];

/** Problems of the rules; `egress` throws on rules that have any. */
export function egressProblems(rules: EgressRules): readonly string[] {
  const problems = (rules.hosts ?? []).flatMap((host) => {
    if (host === everyHost)
      return rules.insecureDev
        ? []
        : ['allowed host * permits every host; list the hosts, or use --insecure-dev on a disposable machine'];
    return parseLiteral(host) || parseNamePattern(host)
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

/** Expands domains to themselves and their subdomains, as `MCP_ALLOWED_DOMAINS` requires. */
export function withSubdomains(domains: readonly string[]): readonly string[] {
  return domains.flatMap((domain) =>
    domain === everyHost || parseLiteral(domain) || domain.startsWith('.') ? [domain] : [domain, `.${domain}`],
  );
}

/** Compiles the rules; throws on invalid ones, which callers detect with `egressProblems` first. */
export function compileEgressRules(rules: EgressRules): CompiledEgressRules {
  const problems = egressProblems(rules);
  if (problems.length > 0) throw new Error(`unsafe egress rules: ${problems.join('; ')}`);
  const schemes = new Set((rules.schemes ?? ['http', 'https']).map((scheme) => `${scheme}:`));
  const ports = rules.ports === 'any' ? undefined : new Set(rules.ports ?? defaultPorts);
  const checkName = nameFilter(rules);
  const allowsLiteral = literalFilter(rules);

  const host = (hostname: string): HostTarget | Refused => {
    const address = parseLiteral(hostname);
    if (address) {
      if (!allowsLiteral(address)) return toRefusal('host', `host ${address.text} is not in the allowed hosts`);
      const decision = rules.networks.address(address);
      return decision.ok ? { kind: 'address', address } : toRefusal('address', decision.reason);
    }
    const parsed = parseName(hostname, { underscores: true });
    if (!parsed.ok) return toRefusal('bad_url', `the URL has no usable host: ${parsed.reason}`);
    return checkName(parsed.name) ?? { kind: 'name', name: parsed.name };
  };

  // Sources request the same few URLs over and over, and the rules never change.
  const admitted = lru<string, { readonly kind: 'admitted'; readonly url: URL }>(maxCachedUrls);

  return {
    host,
    // With a host list the name is decided already; without one it decides which networks apply.
    address: (address, name) => (rules.hosts ? rules.networks.address(address) : rules.networks.address(address, name)),
    url: (given, base) => {
      const known = typeof given === 'string' && base === undefined ? admitted.get(given) : undefined;
      if (known) return known;
      const url = typeof given === 'string' ? parseUrl(given, base) : new URL(given);
      if (!url) return toRefusal('bad_url', 'the URL is not valid');
      if (!schemes.has(url.protocol)) return toRefusal('scheme', `scheme ${url.protocol.slice(0, 20)} is not allowed`);
      if (url.username !== '' || url.password !== '')
        return toRefusal('userinfo', 'the URL contains a user name or password');
      // An empty port is the default of the scheme.
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
      if (ports && !ports.has(port)) return toRefusal('port', `port ${port} is not allowed`);
      const target = host(url.hostname);
      if (target.kind === 'refused') return target;
      // "host." and "host" are the same host but different strings for the allow-list, the connection pool and the certificate.
      if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
      if (url.hash !== '') url.hash = '';
      const result = { kind: 'admitted', url } as const;
      if (typeof given === 'string' && base === undefined) admitted.set(given, result);
      return result;
    },
  };
}

/** Checks names: by the host list, or by the network policy if there is none. */
function nameFilter(rules: EgressRules): (name: string) => Refused | undefined {
  if (!rules.hosts) {
    return (name) => {
      const decision = rules.networks.hostName(name);
      return decision.ok ? undefined : toRefusal('host', decision.reason);
    };
  }
  if (rules.hosts.includes(everyHost)) return () => undefined;
  const patterns = rules.hosts.flatMap((text) => (parseLiteral(text) ? [] : (parseNamePattern(text) ?? [])));
  const list = rules.hosts.slice(0, 10).join(', ');
  return (name) =>
    patterns.some((pattern) => matchesName(pattern, name))
      ? undefined
      : toRefusal('host', `host '${name}' not in allowed domains: [${list}]`);
}

/** Checks literal addresses, which must be listed as such. */
function literalFilter(rules: EgressRules): (address: Address) => boolean {
  if (!rules.hosts || rules.hosts.includes(everyHost)) return () => true;
  const listed = new Set(rules.hosts.flatMap((text) => parseLiteral(text)?.text ?? []));
  return (address) => listed.has(address.text);
}

function parseUrl(text: string, base: URL | undefined): URL | undefined {
  // The URL parser silently drops tabs and newlines, so "http://good\n.evil" would be checked as a different string than logged.
  if (text.length > 8_192 || /[\0-\x1f\x7f]/.test(text)) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** An address in a URL or in a list, with or without brackets. */
function parseLiteral(host: string): Address | undefined {
  return parseAddress(host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
}
