import { isLoopbackName, isInDomains, normalizeHost, notAllowedMessage } from '../../lib/domains.js';
import { egress } from '../../net/egress.js';
import { withSubdomains } from '../../net/egress-rules.js';
import type { Egress, EgressRules } from '../../net/egress-types.js';
import { networkPolicy, type NetworkSet } from '../../net/network-policy.js';

/** Allowed targets of one source. */
interface EgressRoutesOptions {
  readonly allowedDomains: readonly string[];
  /** Only the ports and schemes of the configured URLs are allowed, also for redirects. */
  readonly urls: readonly URL[];
  /** Needed for the domain `*`. */
  readonly insecureDev?: boolean;
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
 * Two egress instances for one list of domains: host names may resolve to public and private addresses but never to this
 * machine; localhost and address literals are reached only as listed. With one instance for both, DNS rebinding to
 * 127.0.0.1, or a redirect to localhost, would reach local services (SSRF).
 */
export function egressRoutes({ allowedDomains, urls, insecureDev = false, net }: EgressRoutesOptions): EgressRoutes {
  const hosts = allowedDomains.flatMap((domain) =>
    domain === '*' ? [] : (normalizeHost(domain.replace(/^\*?\./, '')) ?? []),
  );
  const literals = hosts.filter(isAddressLiteral).map((host) => host.replaceAll(/[[\]]/g, ''));
  const local = hosts.filter(isLoopbackName);
  const names = hosts.filter((host) => !isAddressLiteral(host) && !isLoopbackName(host));
  const isOpen = insecureDev && allowedDomains.includes('*');
  const shared = { ...net, ports: [...new Set(urls.map(portOf))], schemes: schemesOf(urls) };
  const instances: Egress[] = [];
  const createEgress = (allow: readonly NetworkSet[], listed?: readonly string[]): Egress => {
    const policy = networkPolicy({ allow, suffixes: [] });
    if (!policy.ok) throw new Error(`the allowed domains cannot be used: ${policy.problems.join('; ')}`);
    const instance = egress({
      ...shared,
      networks: policy.policy,
      ...(listed && { hosts: listed }),
      ...(isOpen && { insecureDev: true }),
    });
    instances.push(instance);
    return instance;
  };
  const localEgress = lazy(() =>
    createEgress(
      [
        ...(local.length > 0 ? ['loopback' as const] : []),
        ...(literals.length > 0 ? [{ name: 'listed', cidrs: literals.map(singleAddressCidr) }] : []),
      ],
      withSubdomains([...local, ...literals]),
    ),
  );
  const remoteEgress = lazy(() =>
    isOpen
      ? createEgress(['public', 'rfc1918', 'loopback'], ['*'])
      : createEgress([{ name: 'listed', hosts: withSubdomains(names) }]),
  );

  return {
    route({ hostname }) {
      const host = normalizeHost(hostname) ?? hostname;
      if (!isInDomains(host, isOpen ? ['*'] : hosts)) return notAllowedMessage(host, allowedDomains);
      return isOpen || !(isAddressLiteral(host) || isLoopbackName(host)) ? remoteEgress() : localEgress();
    },
    async close() {
      await Promise.all(instances.map((instance) => instance.close()));
    },
  };
}

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

const singleAddressCidr = (address: string): string => `${address}/${address.includes(':') ? 128 : 32}`;

function schemesOf(urls: readonly URL[]): readonly ('http' | 'https')[] {
  const has = (scheme: 'http' | 'https'): boolean => urls.some((url) => url.protocol === `${scheme}:`);
  return (['http', 'https'] as const).filter(has);
}

function lazy<T>(make: () => T): () => T {
  let value: { readonly result: T } | undefined;
  return () => (value ??= { result: make() }).result;
}
