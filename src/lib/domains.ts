/** A host in the one spelling that lists and addresses are compared in: lower case, IDNA, no trailing dot; undefined where it is none. */
export function normalHost(text: string): string | undefined {
  for (const written of [text, `[${text}]`]) {
    try {
      const url = new URL(`http://${written}/`);
      // A port, a path or a user in the list would be dropped silently and the entry would mean more than it says.
      if (
        url.port !== '' ||
        url.pathname !== '/' ||
        url.username !== '' ||
        url.search !== '' ||
        /[@/?#\\\s]/.test(written)
      )
        return undefined;
      return url.hostname.replace(/\.$/, '');
    } catch {
      // Not in this spelling; an IPv6 address needs its brackets.
    }
  }
  return undefined;
}

/** Whether a host is one of the domains or lies below one; `*` takes every host. */
export function isWithin(host: string, domains: readonly string[]): boolean {
  const wanted = normalHost(host);
  if (wanted === undefined) return false;
  return domains.some((entry) => {
    if (entry === '*') return true;
    const domain = normalHost(entry.replace(/^\*?\./, ''));
    return domain !== undefined && (wanted === domain || wanted.endsWith(`.${domain}`));
  });
}

/** What is said of a host outside the list. */
export const outside = (host: string, domains: readonly string[]): string =>
  `MCP URL host '${host.slice(0, 253)}' not in allowed domains: [${domains
    .slice(0, 10)
    .map((domain) => `'${domain}'`)
    .join(', ')}]`;

/** Whether a host name can only mean this machine. */
export const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** Why an address an operator wrote cannot be called, or undefined where it can; `*` counts only with the insecure switch. */
export function addressProblem(address: string, domains: readonly string[], insecureDev: boolean): string | undefined {
  // A host that an argument could choose would reach whatever the model is talked into.
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(?<!\$)\{/i.test(address)) return 'takes its host from an argument';
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return 'is not a URL';
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.hash !== '') return 'must not hold a fragment';
  const listed = insecureDev ? domains : domains.filter((domain) => domain !== '*');
  return isWithin(url.hostname, listed) ? undefined : outside(url.hostname.replace(/\.$/, ''), domains);
}
