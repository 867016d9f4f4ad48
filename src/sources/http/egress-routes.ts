import { isLoopbackName, isInDomains, normalizeHost, notAllowedMessage } from '../../lib/text/domains.js';
import { metadataNetworks } from '../../lib/text/metadata-networks.js';
import { egress } from '../../net/egress/egress.js';
import { withSubdomains } from '../../net/egress/egress-rules.js';
import type { Egress, EgressRules } from '../../net/egress/egress-types.js';
import { networkPolicy, type NetworkSet } from '../../net/egress/network-policy.js';

/** Allowed targets of one source. */
interface EgressRoutesOptions {
  readonly allowedDomains: readonly string[];
  /** Only the ports and schemes of the configured URLs are allowed, also for redirects. */
  readonly urls: readonly URL[];
  /** Needed for the domain `*`. */
  readonly insecureDev?: boolean;
  /** Cloud metadata addresses that may be called; an entry of the domains alone does not open one. */
  readonly metadataAddresses?: readonly string[];
  readonly net?: Pick<EgressRules, 'resolver' | 'tls'>;
}

/** Guarded egress for the URLs of a source. */
interface EgressRoutes {
  /** The egress for a URL, or why there is none. */
  route(url: URL): Egress | string;
  close(): Promise<void>;
}

const isAddressLiteral = (host: string): boolean => host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);

/**
 * One egress per entry of the list of domains: host names may resolve to public and private addresses but never to this
 * machine; localhost and address literals are reached only as listed. With one instance for all, DNS rebinding to
 * 127.0.0.1, or a redirect to the address of another function, would reach services of other functions (SSRF).
 */
export function egressRoutes({
  allowedDomains,
  urls,
  insecureDev = false,
  metadataAddresses = [],
  net,
}: EgressRoutesOptions): EgressRoutes {
  const hosts = allowedDomains.flatMap((domain) =>
    domain === '*' ? [] : (normalizeHost(domain.replace(/^\*?\./, '')) ?? []),
  );
  const isOpen = insecureDev && allowedDomains.includes('*');
  const openEgresses = new Map<string, Egress>();
  const createEgress = (allow: readonly NetworkSet[], from: readonly URL[], listed?: readonly string[]): Egress => {
    const policy = networkPolicy({ allow, suffixes: [], deny: deniedMetadata });
    if (!policy.ok) throw new Error(`the allowed domains cannot be used: ${policy.problems.join('; ')}`);
    return egress({
      ...net,
      ports: [...new Set(from.map(portOf))],
      schemes: schemesOf(from),
      networks: policy.policy,
      ...(listed && { hosts: listed }),
      ...(isOpen && { insecureDev: true }),
    });
  };
  const deniedMetadata = metadataNetworks.filter((network) => !metadataAddresses.includes(network.split('/')[0] ?? ''));
  /** Entries of the list that allow a host. */
  const entriesFor = (host: string): readonly string[] => hosts.filter((entry) => isInDomains(host, [entry]));
  const localEgress = (entries: readonly string[], from: readonly URL[]): Egress => {
    const literals = entries.filter(isAddressLiteral).map((host) => host.replaceAll(/[[\]]/g, ''));
    const names = entries.filter(isLoopbackName);
    return createEgress(
      [
        ...(names.length > 0 ? ['loopback' as const] : []),
        ...(literals.length > 0 ? [{ name: 'listed', cidrs: literals.map(singleAddressCidr) }] : []),
      ],
      from,
      withSubdomains([...names, ...literals]),
    );
  };

  return {
    route({ hostname }) {
      const host = normalizeHost(hostname) ?? hostname;
      if (!isInDomains(host, isOpen ? ['*'] : hosts)) return notAllowedMessage(host, allowedDomains);
      // A redirect stays with the entries that allow the URL of the function itself: an address that another function of the
      // source needs is not open to this one (SSRF).
      const entries = isOpen ? ['*'] : entriesFor(host);
      const key = entries.join(' ');
      const from = isOpen
        ? urls
        : urls.filter((url) => entriesFor(normalizeHost(url.hostname) ?? '').join(' ') === key);
      let known = openEgresses.get(key);
      if (known === undefined) {
        known = isOpen
          ? createEgress(['public', 'rfc1918', 'loopback'], from, ['*'])
          : isAddressLiteral(host) || isLoopbackName(host)
            ? localEgress(entries, from)
            : createEgress([{ name: 'listed', hosts: withSubdomains(entries) }], from);
        openEgresses.set(key, known);
      }
      return known;
    },
    async close() {
      await Promise.all([...openEgresses.values()].map((instance) => instance.close()));
      openEgresses.clear();
    },
  };
}

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

const singleAddressCidr = (address: string): string => `${address}/${address.includes(':') ? 128 : 32}`;

function schemesOf(urls: readonly URL[]): readonly ('http' | 'https')[] {
  const has = (scheme: 'http' | 'https'): boolean => urls.some((url) => url.protocol === `${scheme}:`);
  return (['http', 'https'] as const).filter(has);
}
