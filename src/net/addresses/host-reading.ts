import { addressOf, toMapped, parseAddress, type Address } from './addresses.js';
import { cidrOf, parseCidr, type Cidr } from './cidrs.js';
import { embeddedIpv4, mayEmbedIpv4 } from './embedded-ipv4.js';
import { parseName } from './host-names.js';

/**
 * The host in a text, as every program reads it; `unclear` if programs may read different ones (parser differential), so that a
 * restricting rule matches and an allowing rule does not.
 */
export type HostReading =
  | { readonly kind: 'name'; readonly name: string }
  /** All networks that connecting to it can reach; the first one is the literal itself. */
  | { readonly kind: 'address'; readonly networks: readonly Cidr[] }
  /** No host at all: an empty text or a path. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unclear' };

const unclear: HostReading = { kind: 'unclear' };
const none: HostReading = { kind: 'none' };
const longestText = 8_192;

// With these, `http:80` is not a host with a port but a URL: the WHATWG parser adds the missing slashes and reads 0.0.0.80.
const specialSchemes = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'file']);
/** Characters that IDNA2003 and IDNA2008 map to different names: `faß.de` is fass.de or xn--fa-hia.de. */
const deviations = /[\u00df\u1e9e\u03c2\u200c\u200d]/;
/** White space, controls, backslash, user info, percent-encoding: each is dropped, decoded or split at by some parser. */
const ambiguous = /[\s\\@%\u0000-\u0020\u007f-\u00a0]/;

/** Reads the host of `host`, `host:port`, `host/path`, an address, a network or a URL. */
export function readHost(text: string): HostReading {
  if (text === '') return none;
  if (text.length > longestText || /[\s\u0000-\u0020\u007f-\u00a0]/.test(text)) return unclear;
  const network = parseCidr(text);
  if (network !== undefined) return text.includes('/') ? reachable([network]) : reachable(literals(text));
  // `//host` and `/\host` are URLs relative to a scheme; a single slash begins a path.
  if (/^[/\\]/.test(text)) return /^[/\\]{2}/.test(text) ? unclear : none;
  if (/^[?#]/.test(text)) return none;
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)(?:[/?#]|$)/i.exec(text);
  if (url !== null) return readUrl(text, url[2] ?? '');
  // `scheme:/x`, `scheme:///x`, `jar:http://x`: whether and where there is a host depends on the program.
  if (/^[^/?#]*:\//.test(text)) return unclear;
  const authority = /^[^/?#]*/.exec(text)?.[0] ?? '';
  const [label = ''] = authority.split(':', 1);
  if (authority.includes(':') && specialSchemes.has(label.toLowerCase())) return unclear;
  return readAuthority(authority);
}

function readUrl(text: string, authority: string): HostReading {
  // A URL that the WHATWG parser rejects is read by others nevertheless.
  if (!URL.canParse(text)) return unclear;
  // `http://a?@b/` and `http://a#@b/`: older parsers take all up to the last `@` for user info and connect to b.
  if (/^[^:]*:\/\/[^/?#]*[?#][^/]*@/.test(text)) return unclear;
  return readAuthority(authority);
}

function readAuthority(authority: string): HostReading {
  if (ambiguous.test(authority) || deviations.test(authority)) return unclear;
  const host = authority.replace(/:\d{0,5}$/, '');
  const literal = /^\[(.*)\]$/.exec(host)?.[1];
  const addresses = literal === undefined ? literals(authority) : literals(literal).slice(0, 1);
  if (addresses.length > 0) return reachable(addresses);
  if (literal !== undefined) return unclear;
  const parsed = parseName(host, { underscores: true });
  if (!parsed.ok) return unclear;
  // Ranges such as `10.0.0.1-20` have the form of a name; scanners expand them. No top-level domain begins with a digit.
  if (!/(?:^|\.)[a-z_][^.]*$/.test(parsed.name)) return unclear;
  return loopbackNames.has(parsed.name) || parsed.name.endsWith('.localhost')
    ? { kind: 'address', networks: loopback }
    : { kind: 'name', name: parsed.name };
}

const loopbackNames = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost6',
  'ip6-localhost',
  'ip6-loopback',
]);
const ipv6Loopback = new Uint8Array(16).fill(1, 15);
const loopback: readonly Cidr[] = [addressOf(toMapped([127, 0, 0, 1])), addressOf(ipv6Loopback)].map((address) =>
  cidrOf(address, 128),
);

/** Addresses of a literal: without brackets, the end of `::1:80` is a group or a port. */
const literals = (text: string): readonly Cidr[] =>
  [text, text.replace(/:\d{0,5}$/, '')]
    .filter((one, index, all) => all.indexOf(one) === index)
    .flatMap((one) => parseAddress(one) ?? [])
    .map((address) => cidrOf(address, 128));

/** Networks and everything behind them: IPv4 embedded in IPv6, and loopback for the unspecified address. */
function reachable(networks: readonly Cidr[]): HostReading {
  // The embedded addresses of a whole network cannot be listed.
  if (networks.some((network) => network.bits < 128 && mayEmbedIpv4(network))) return unclear;
  const behind = networks
    .filter(({ bits }) => bits === 128)
    .flatMap(({ base }) => [
      ...embeddedIpv4(base).map((address) => cidrOf(address, 128)),
      ...(isUnspecified(base) ? loopback : []),
    ]);
  return { kind: 'address', networks: [...networks, ...behind] };
}

/** Connecting to 0.0.0.0 or :: reaches this machine. */
const isUnspecified = ({ bytes, family }: Address): boolean =>
  bytes.subarray(family === 4 ? 12 : 0).every((byte) => byte === 0);
