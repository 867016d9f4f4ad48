import type { Document } from './parse.js';
import { fieldEntries, isRawObject, listField, ownField, textField, textListField, type RawObject } from './fields.js';

/** Server URLs of an operation, else of its path, else of the document; variables take their defaults, since callers must not choose a host (SSRF). */
export function parseServers(doc: Document, item: RawObject, operation: RawObject): readonly string[] {
  if (doc.dialect === '2.0') return parseSwaggerServers(doc, operation);
  for (const owner of [operation, item]) {
    const servers = listServers(owner);
    if (servers.length > 0) return servers;
  }
  let shared = documentServers.get(doc);
  if (shared === undefined)
    documentServers.set(doc, (shared = listServers(doc.root).length > 0 ? listServers(doc.root) : ['/']));
  return shared;
}

/** Servers of documents; thousands of operations share them. */
const documentServers = new WeakMap<Document, readonly string[]>();
/** Server URLs with their variables filled in. */
const listServers = (owner: RawObject): readonly string[] =>
  listField(owner, 'servers').filter(isRawObject).map(fillVariables);

/** Fills variables with their defaults, else with the first allowed value. */
function fillVariables(server: RawObject): string {
  const defaults = new Map(
    fieldEntries(server, 'variables').map(([name, variable]) => {
      const value = ownField(variable, 'default') ?? listField(variable, 'enum')[0];
      return [name, typeof value === 'string' || typeof value === 'number' ? String(value) : ''] as const;
    }),
  );
  return (textField(server, 'url') ?? '').replaceAll(
    /\{([^{}]*)\}/g,
    (_whole, name: string) => defaults.get(name) ?? '',
  );
}

/** Server URLs of a 2.0 document, from host, path and schemes. */
function parseSwaggerServers(doc: Document, operation: RawObject): readonly string[] {
  const base = textField(doc.root, 'basePath') ?? '/';
  const host = textField(doc.root, 'host');
  if (host === undefined) return [base];
  const own = textListField(operation, 'schemes');
  const schemes = own.length > 0 ? own : textListField(doc.root, 'schemes');
  // https first: otherwise a document that lists both would send credentials in plain text.
  const known = ['https', 'http'].filter((scheme) => schemes.includes(scheme));
  // Without `schemes`, the scheme that served the document applies.
  const defaultScheme = doc.url !== undefined && /^http:/i.test(doc.url) ? 'http' : 'https';
  return (known.length > 0 || schemes.length > 0 ? known : [defaultScheme]).map(
    (scheme) => `${scheme}://${host}${base.startsWith('/') ? base : `/${base}`}`,
  );
}

/** Origin and path prefix of an operation's requests. */
export interface BaseUrl {
  readonly origin: string;
  /** Without a trailing slash. */
  readonly path: string;
}

/** A base URL, or why none is usable. */
type BaseUrlResult =
  | { readonly ok: true; readonly base: BaseUrl }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** Chooses the first usable server URL; relative ones are resolved against the document's URL. */
export function chooseBaseUrl(servers: readonly string[], documentUrl: string | undefined): BaseUrlResult {
  let problem: BaseUrlResult = {
    ok: false,
    reason: 'no_server',
    message: 'the document has no absolute server URL; set base_url',
  };
  for (const server of servers) {
    const url = toAbsoluteUrl(server, documentUrl);
    if (url === undefined) continue;
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      problem = {
        ok: false,
        reason: 'unsupported_scheme',
        message: `server scheme ${url.protocol.slice(0, 20)} is not http or https`,
      };
    // User info in a URL is a misplaced credential or a disguise: https://api.good@evil.example
    else if (url.username !== '' || url.password !== '')
      problem = { ok: false, reason: 'server_userinfo', message: 'the server URL contains a user name or password' };
    else return { ok: true, base: { origin: url.origin, path: url.pathname.replace(/\/+$/, '') } };
  }
  return problem;
}

/** A server URL, resolved against that of the document; control characters are refused. */
function toAbsoluteUrl(server: string, documentUrl: string | undefined): URL | undefined {
  if (/[\0-\x20\x7f\\]/.test(server)) return undefined;
  try {
    // An empty URL means the root of the host, not the URL of the document with its file name.
    return new URL(server === '' ? '/' : server, documentUrl);
  } catch {
    return undefined;
  }
}
