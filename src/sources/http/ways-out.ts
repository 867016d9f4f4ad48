import { isLocalName, isWithin, normalHost, outside } from '../../lib/domains.js';
import { egress } from '../../net/egress.js';
import { withSubdomains } from '../../net/egress-rules.js';
import type { Egress, EgressRules } from '../../net/egress-types.js';
import { networkPolicy, type NetworkSet } from '../../net/policies.js';

/** Where the tools of one source may call. */
export interface Reach {
  readonly allowedDomains: readonly string[];
  /** Ports and schemes are those of the addresses that the operator wrote down; a redirect to another is refused. */
  readonly urls: readonly URL[];
  /** Needed for the domain `*`. */
  readonly insecureDev?: boolean;
  readonly net?: Pick<EgressRules, 'resolver' | 'tls'>;
}

/** The guarded way to each address of a source. */
export interface WaysOut {
  /** The way to an address, or why there is none. */
  to(url: URL): Egress | string;
  close(): Promise<void>;
}

const isAddress = (host: string): boolean => host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);

/**
 * Two ways out of one list of domains: names outside may live at public and private addresses but never on this machine,
 * and what is listed as an address or as localhost is reached only there. With one way for both, a name outside that
 * suddenly means 127.0.0.1, or a redirect to localhost, would reach what listens here.
 */
export function waysOut({ allowedDomains, urls, insecureDev = false, net }: Reach): WaysOut {
  const hosts = allowedDomains.flatMap((domain) =>
    domain === '*' ? [] : (normalHost(domain.replace(/^\*?\./, '')) ?? []),
  );
  const literals = hosts.filter(isAddress).map((host) => host.replaceAll(/[[\]]/g, ''));
  const local = hosts.filter(isLocalName);
  const names = hosts.filter((host) => !isAddress(host) && !isLocalName(host));
  const isOpen = insecureDev && allowedDomains.includes('*');
  const shared = { ...net, ports: [...new Set(urls.map(portOf))], schemes: schemesOf(urls) };
  const made: Egress[] = [];
  const way = (allow: readonly NetworkSet[], listed?: readonly string[]): Egress => {
    const policy = networkPolicy({ allow, suffixes: [] });
    if (!policy.ok) throw new Error(`the allowed domains cannot be used: ${policy.problems.join('; ')}`);
    const opened = egress({
      ...shared,
      networks: policy.policy,
      ...(listed && { hosts: listed }),
      ...(isOpen && { insecureDev: true }),
    });
    made.push(opened);
    return opened;
  };
  const here = lazy(() =>
    way(
      [
        ...(local.length > 0 ? ['loopback' as const] : []),
        ...(literals.length > 0 ? [{ name: 'listed', cidrs: literals.map(alone) }] : []),
      ],
      withSubdomains([...local, ...literals]),
    ),
  );
  const there = lazy(() =>
    isOpen ? way(['public', 'rfc1918', 'loopback'], ['*']) : way([{ name: 'listed', hosts: withSubdomains(names) }]),
  );

  return {
    to({ hostname }) {
      const host = normalHost(hostname) ?? hostname;
      if (!isWithin(host, isOpen ? ['*'] : hosts)) return outside(host, allowedDomains);
      return isOpen || !(isAddress(host) || isLocalName(host)) ? there() : here();
    },
    async close() {
      await Promise.all(made.map((each) => each.close()));
    },
  };
}

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

const alone = (address: string): string => `${address}/${address.includes(':') ? 128 : 32}`;

function schemesOf(urls: readonly URL[]): readonly ('http' | 'https')[] {
  const has = (scheme: 'http' | 'https'): boolean => urls.some((url) => url.protocol === `${scheme}:`);
  return (['http', 'https'] as const).filter(has);
}

function lazy<T>(make: () => T): () => T {
  let value: { readonly made: T } | undefined;
  return () => (value ??= { made: make() }).made;
}
