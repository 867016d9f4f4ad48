import type { ModelRow } from '../rows.js';

/** Functions that normalise a path, so that a later prefix check is meaningful. */
export const pathNormalizers: readonly ModelRow[] = [
  ['os.path', 'realpath', '*', 'path', 'normalizes-path'],
  ['os.path', 'abspath', '*', 'path', 'normalizes-path'],
  ['os.path', 'normpath', '*', 'path', 'normalizes-path'],
  ['path', 'resolve', '*', 'path', 'normalizes-path'],
  ['path', 'normalize', '*', 'path', 'normalizes-path'],
  ['fs', 'realpath', '*', 'path', 'normalizes-path'],
  ['fs', 'realpathSync', '*', 'path', 'normalizes-path'],
  ['fs.promises', 'realpath', '*', 'path', 'normalizes-path'],
  ['fs', 'realpathSync.native', '*', 'path', 'normalizes-path'],
  ['upath', 'resolve', '*', 'path', 'normalizes-path'],
];

/** Functions that resolve symbolic links. */
export const linkResolvers: readonly ModelRow[] = [
  ['os.path', 'realpath', '0', 'path', 'resolves-links'],
  ['fs', 'realpath', '0', 'path', 'resolves-links'],
  ['fs', 'realpathSync', '0', 'path', 'resolves-links'],
  ['fs.promises', 'realpath', '0', 'path', 'resolves-links'],
  ['fs', 'realpathSync.native', '0', 'path', 'resolves-links'],
];

/** Functions that build a path from their arguments. */
export const pathBuilders: readonly ModelRow[] = [
  ['os.path', 'join', '*', 'path', 'builds-path'],
  ['os.path', 'expanduser', '*', 'path', 'builds-path'],
  ['os.path', 'expandvars', '*', 'path', 'builds-path'],
  ['os.path', 'dirname', '*', 'path', 'builds-path'],
  ['os', 'fspath', '*', 'path', 'builds-path'],
  ['pathlib', 'Path', '*', 'path', 'builds-path'],
  ['pathlib', 'PurePath', '*', 'path', 'builds-path'],
  ['pathlib', 'PosixPath', '*', 'path', 'builds-path'],
  ['anyio', 'Path', '*', 'path', 'builds-path'],
  ['path', 'join', '*', 'path', 'builds-path'],
  ['path', 'dirname', '*', 'path', 'builds-path'],
  ['path.posix', 'join', '*', 'path', 'builds-path'],
  ['', 'str', '*', 'path', 'builds-path'],
  ['', 'String', '*', 'path', 'builds-path'],
  ['url', 'fileURLToPath', '*', 'path', 'builds-path'],
  ['untildify', '', '*', 'path', 'builds-path'],
  ['os.path', 'relpath', '*', 'path', 'builds-path'],
  ['path', 'relative', '*', 'path', 'builds-path'],
];

/** Functions whose result compares two paths. */
export const pathComparisons: readonly ModelRow[] = [
  ['path', 'relative', '*', 'path', 'compares-paths'],
  ['os.path', 'relpath', '*', 'path', 'compares-paths'],
  ['os.path', 'commonpath', '*', 'path', 'compares-paths'],
  ['os.path', 'commonprefix', '*', 'path', 'compares-paths'],
];

/** URL parsers: a check of a component of the result proves the URL. */
export const urlParsers: readonly ModelRow[] = [
  ['urllib.parse', 'urlparse', '*', 'url', 'parses-url'],
  ['urllib.parse', 'urlsplit', '*', 'url', 'parses-url'],
  ['urlparse', 'urlparse', '*', 'url', 'parses-url'],
  ['', 'URL', '*', 'url', 'parses-url'],
  ['url', 'parse', '*', 'url', 'parses-url'],
  ['url', 'URL', '*', 'url', 'parses-url'],
  ['URL', 'parse', '*', 'url', 'parses-url'],
  ['yarl', 'URL', '*', 'url', 'parses-url'],
  ['httpx', 'URL', '*', 'url', 'parses-url'],
  ['furl', 'furl', '*', 'url', 'parses-url'],
  ['urllib3.util', 'parse_url', '*', 'url', 'parses-url'],
  ['tldextract', 'extract', '*', 'url', 'parses-url'],
];

/** DNS and IP functions: a check of the resolved address proves the host name. */
export const addressResolvers: readonly ModelRow[] = [
  ['socket', 'gethostbyname', '*', 'url', 'resolves-address'],
  ['socket', 'getaddrinfo', '*', 'url', 'resolves-address'],
  ['socket', 'gethostbyname_ex', '*', 'url', 'resolves-address'],
  ['dns', 'lookup', '*', 'url', 'resolves-address'],
  ['dns.promises', 'lookup', '*', 'url', 'resolves-address'],
  ['dns.promises', 'resolve4', '*', 'url', 'resolves-address'],
  ['dns.promises', 'resolve6', '*', 'url', 'resolves-address'],
  ['dns.promises', 'resolve', '*', 'url', 'resolves-address'],
  ['dns', 'resolve4', '*', 'url', 'resolves-address'],
  ['dns', 'resolve6', '*', 'url', 'resolves-address'],
  ['dns', 'resolve', '*', 'url', 'resolves-address'],
  ['socket', 'inet_aton', '*', 'url', 'resolves-address'],
  ['ip', 'toBuffer', '*', 'url', 'resolves-address'],
  ['dns.resolver', 'resolve', '*', 'url', 'resolves-address'],
  ['ipaddress', 'ip_address', '*', 'url', 'resolves-address'],
  ['ipaddr.js', 'parse', '*', 'url', 'resolves-address'],
  ['ipaddr.js', 'process', '*', 'url', 'resolves-address'],
  ['ipaddr', 'js', '*', 'url', 'resolves-address'],
  ['net', 'isIP', '*', 'url', 'resolves-address'],
];
