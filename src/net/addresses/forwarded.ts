import type { Address } from './addresses.js';
import { parseAddress } from './addresses.js';
import type { Cidr } from './cidrs.js';
import { cidrOf, contains, parseCidr } from './cidrs.js';

/** Forwarding headers of a request; Node joins repeated ones with commas. */
interface ForwardingHeaders {
  readonly forwarded?: string | undefined;
  readonly 'x-forwarded-for'?: string | string[] | undefined;
}

/** Finds the client behind trusted proxies. */
export interface TrustedProxies {
  isProxy(address: string): boolean;
  /** Canonical client address; `local` for a connection without an address (Unix socket). */
  clientOf(address: string | undefined, headers: ForwardingHeaders): string;
  /** Network of an address for limits: an IPv6 client can pick any address of its /64. */
  groupOf(address: string): string;
}

/** Hops that are followed; a longer chain ends at the last one. */
const maxHops = 16;

/** Addresses that are remembered; a client that uses more of them only costs their parsing again. */
const maxRemembered = 1_024;

/** Parses addresses of connections: few peers send many requests, and parsing costs as much as a small guard. */
function rememberedAddresses(): (text: string) => Address | undefined {
  const known = new Map<string, Address | undefined>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found;
    const address = parseAddress(text);
    if (known.size >= maxRemembered) known.clear();
    known.set(text, address);
    return address;
  };
}

/** Reads `server.trusted_proxies`; returns the first entry that is neither an address nor a CIDR as the problem. */
export function trustedProxies(entries: readonly string[]): TrustedProxies | { readonly problem: string } {
  const networks: Cidr[] = [];
  for (const entry of entries) {
    const network = parseCidr(entry);
    if (network === undefined) return { problem: `${JSON.stringify(entry)} is neither an address nor a CIDR` };
    networks.push(network);
  }
  const isTrusted = (address: Address): boolean => networks.some((network) => contains(network, address));
  const parse = rememberedAddresses();

  /**
   * The last address of a chain that no trusted proxy vouches for, read from the right: entries further left are written by the
   * client itself. An unreadable entry ends the walk at the proxy that reported it.
   */
  const lastUntrusted = (from: Address, chain: readonly string[]): Address => {
    let found = from;
    for (let hop = 1; hop <= Math.min(chain.length, maxHops) && isTrusted(found); hop += 1) {
      const next = parseHop(chain[chain.length - hop] ?? '');
      if (next === undefined) break;
      found = next;
    }
    return found;
  };

  return {
    isProxy(text) {
      const address = parse(text);
      return address !== undefined && isTrusted(address);
    },
    clientOf(text, headers) {
      const address = parse(text ?? '');
      if (address === undefined) return text ?? 'local';
      if (networks.length === 0 || !isTrusted(address)) return address.text;
      const listed = headers['x-forwarded-for'];
      const chains = [
        listed === undefined ? undefined : String(listed).split(','),
        headers.forwarded === undefined ? undefined : forwardedChain(headers.forwarded),
      ].flatMap((chain) => (chain === undefined ? [] : [lastUntrusted(address, chain).text]));
      // A proxy writes one of the headers and passes the other on from the client: if they disagree, one of them is forged.
      const [first = address.text, second = first] = chains;
      return first === second ? first : address.text;
    },
    groupOf(text) {
      const address = parse(text);
      return address === undefined ? text : address.family === 4 ? address.text : cidrOf(address, 64).text;
    },
  };
}

/** The `for` values of a Forwarded header (RFC 7239), in order; an element without one is unreadable. */
const forwardedChain = (header: string): readonly string[] =>
  header.split(',').map((element) => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)\s*(?:;|$)/i.exec(element)?.[1] ?? '');

/** Address of one entry: bare, quoted, in brackets, with or without a port; undefined for `unknown`, `_hidden` and anything else. */
function parseHop(entry: string): Address | undefined {
  const text = entry.trim().replace(/^"(.*)"$/s, '$1');
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(text)?.[1];
  return parseAddress(bracketed ?? text.replace(/^([0-9.]+):\d{1,5}$/, '$1'));
}
