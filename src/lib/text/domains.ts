/** Normalises a host for comparison with an allow-list: lower case, IDNA, no trailing dot; undefined if it is not a host. */
export function normalizeHost(text: string): string | undefined {
  for (const candidate of [text, `[${text}]`]) {
    try {
      const url = new URL(`http://${candidate}/`);
      // A port, path or user in an entry would be dropped silently, and the entry would allow more than it states.
      if (
        url.port !== '' ||
        url.pathname !== '/' ||
        url.username !== '' ||
        url.search !== '' ||
        /[@/?#\\\s]/.test(candidate)
      )
        return undefined;
      return url.hostname.replace(/\.$/, '');
    } catch {
      // Not a URL in this form; an IPv6 address needs brackets.
    }
  }
  return undefined;
}

/** Whether a host equals one of the domains or is a subdomain of one; `*` matches every host. */
export function isInDomains(host: string, domains: readonly string[]): boolean {
  const wanted = normalizeHost(host);
  if (wanted === undefined) return false;
  return domains.some((entry) => {
    if (entry === '*') return true;
    const domain = normalizeHost(entry.replace(/^\*?\./, ''));
    return domain !== undefined && (wanted === domain || wanted.endsWith(`.${domain}`));
  });
}

/** Error message for a host outside the allow-list. */
export const notAllowedMessage = (host: string, domains: readonly string[]): string =>
  `MCP URL host '${host.slice(0, 253)}' not in allowed domains: [${domains
    .slice(0, 10)
    .map((domain) => `'${domain}'`)
    .join(', ')}]`;

/** Whether a host name always resolves to this machine. */
export const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** Returns why a configured URL cannot be called, or undefined if it can; `*` is honoured only with `--insecure-dev`. */
export function addressProblem(address: string, domains: readonly string[], insecureDev: boolean): string | undefined {
  // A host taken from an argument would let a prompt injection choose the target (SSRF).
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(?<!\$)\{/i.test(address)) return 'takes its host from an argument';
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return 'is not a URL';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment';
  const listed = insecureDev ? domains : domains.filter((domain) => domain !== '*');
  return isInDomains(url.hostname, listed) ? undefined : notAllowedMessage(url.hostname.replace(/\.$/, ''), domains);
}
