import type { Document } from './document.js';
import { entriesOf, isRaw, listOf, own, textOf, textsOf, type Raw } from './values.js';

/** The addresses of an operation: its own, else its path's, else the document's; variables take their defaults, since nobody who calls may choose a host. */
export function serversOf(doc: Document, item: Raw, operation: Raw): readonly string[] {
  if (doc.dialect === '2.0') return swaggerServers(doc, operation);
  for (const of of [operation, item]) {
    const servers = listed(of);
    if (servers.length > 0) return servers;
  }
  let shared = wholeDocument.get(doc);
  if (shared === undefined) wholeDocument.set(doc, (shared = listed(doc.root).length > 0 ? listed(doc.root) : ['/']));
  return shared;
}

const wholeDocument = new WeakMap<Document, readonly string[]>();
const listed = (of: Raw): readonly string[] => listOf(of, 'servers').filter(isRaw).map(filledIn);

function filledIn(server: Raw): string {
  const defaults = new Map(
    entriesOf(server, 'variables').map(([name, variable]) => {
      const value = own(variable, 'default') ?? listOf(variable, 'enum')[0];
      return [name, typeof value === 'string' || typeof value === 'number' ? String(value) : ''] as const;
    }),
  );
  return (textOf(server, 'url') ?? '').replaceAll(/\{([^{}]*)\}/g, (_whole, name: string) => defaults.get(name) ?? '');
}

function swaggerServers(doc: Document, operation: Raw): readonly string[] {
  const base = textOf(doc.root, 'basePath') ?? '/';
  const host = textOf(doc.root, 'host');
  if (host === undefined) return [base];
  const own = textsOf(operation, 'schemes');
  const schemes = own.length > 0 ? own : textsOf(doc.root, 'schemes');
  // https first: a document that lists both would otherwise send credentials in the clear.
  const known = ['https', 'http'].filter((scheme) => schemes.includes(scheme));
  // Where it names none, it is the one the document itself came by.
  const usual = doc.url !== undefined && /^http:/i.test(doc.url) ? 'http' : 'https';
  return (known.length > 0 || schemes.length > 0 ? known : [usual]).map(
    (scheme) => `${scheme}://${host}${base.startsWith('/') ? base : `/${base}`}`,
  );
}

/** Where requests of an operation go. */
export interface Base {
  readonly origin: string;
  /** Without a slash at its end. */
  readonly path: string;
}

export type BaseOrFault =
  | { readonly ok: true; readonly base: Base }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** The first address that can be used, relative ones read against where the document came from. */
export function baseOf(servers: readonly string[], documentUrl: string | undefined): BaseOrFault {
  let fault: BaseOrFault = {
    ok: false,
    reason: 'no_server',
    message: 'the document names no absolute server address; set base_url',
  };
  for (const server of servers) {
    const url = absolute(server, documentUrl);
    if (url === undefined) continue;
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      fault = {
        ok: false,
        reason: 'unsupported_scheme',
        message: `server scheme ${url.protocol.slice(0, 20)} is not http or https`,
      };
    // A user name in a server address is a credential in the wrong place, or a disguise: https://api.good@evil.example
    else if (url.username !== '' || url.password !== '')
      fault = { ok: false, reason: 'server_userinfo', message: 'the server address holds a user name or password' };
    else return { ok: true, base: { origin: url.origin, path: url.pathname.replace(/\/+$/, '') } };
  }
  return fault;
}

function absolute(server: string, documentUrl: string | undefined): URL | undefined {
  if (/[\0-\x20\x7f\\]/.test(server)) return undefined;
  try {
    // Nothing at all is meant as the root of the host, and not as the address of the document, file name included.
    return new URL(server === '' ? '/' : server, documentUrl);
  } catch {
    return undefined;
  }
}
