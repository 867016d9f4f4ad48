import { signal } from '@preact/signals';

const base = '/console';

/** Path below /console and query of the page; every screen is a URL. */
export const route = signal(readLocation());

interface PageLocation {
  readonly path: string;
  readonly query: URLSearchParams;
}

function readLocation(): PageLocation {
  const path = location.pathname.slice(base.length).replace(/\/+$/, '');
  return { path: path === '' ? '/' : path, query: new URLSearchParams(location.search) };
}

window.addEventListener('popstate', () => {
  route.value = readLocation();
});

/** Address of a page, for links. */
export const href = (path: string): string => (path === '/' ? base : `${base}${path}`);

export function go(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href(path));
  else history.pushState(null, '', href(path));
  route.value = readLocation();
  // A replaced entry is the same screen with another filter: its scroll position must survive.
  if (!replace) scrollTo(0, 0);
}

/** Changes some parameters of the query, without a new entry in the history. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  go(`${route.value.path}${text === '' ? '' : `?${text}`}`, { replace: true });
}

/** Parameters of a path if it matches the pattern `/calls/{id}`; undefined otherwise. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  // Segments must match one to one: there is no wildcard that could swallow an encoded slash.
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith('{')) found[part.slice(1, -1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return found;
}

/** Decodes a path segment; a malformed escape such as `%zz` stays as it is instead of breaking the page. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows links within the console without loading the page again. */
export function followLinks(event: MouseEvent): void {
  // Modified clicks open tabs and windows, which only the browser can do.
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  // Same origin and below the base only: anything else must leave the console by a real navigation.
  if (link === null || link.target !== '' || link.origin !== location.origin || !link.pathname.startsWith(base)) return;
  event.preventDefault();
  go(link.pathname.slice(base.length) + link.search);
}
