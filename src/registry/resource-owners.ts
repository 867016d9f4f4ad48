import type { Resource, ResourceTemplate } from '../core/prompt.js';
import type { ResourceLists, ToolSource, Withheld } from '../core/source.js';
import type { Tool } from '../core/tool.js';

/** What one source lists. */
export interface SourceAddresses extends ResourceLists {
  readonly source: Pick<ToolSource, 'id' | 'personal'>;
}

/** Resources and templates with one owner for each address, and what was withheld for that. */
interface OwnedAddresses extends ResourceLists {
  readonly withheld: readonly (Withheld & { readonly source: string })[];
}

/** Ids of the gateway's own sources begin so; configured ids cannot contain a colon. */
const isGatewaySource = (id: string): boolean => id.startsWith('toolgate:');

const reserved = /^toolgate:/i;
const scheme = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Decides which source owns which address. An upstream server must not answer for the gateway (`toolgate:`) or for an address of another
 * server (spoofing, and the address itself would leak): the gateway's own sources come first, then the order of the configuration.
 */
export function assignAddresses(
  listings: readonly SourceAddresses[],
  tools: ReadonlyMap<string, Tool>,
): OwnedAddresses {
  const resources = new Map<string, Resource>();
  const templates = new Map<string, ResourceTemplate>();
  /** Owners by address without its case. */
  const spellings = new Map<string, string>();
  const withheld: (Withheld & { readonly source: string })[] = [];
  const own = listings.filter(({ source }) => isGatewaySource(source.id));
  const others = listings.filter(({ source }) => !isGatewaySource(source.id));

  /** A resource that is a form of a tool exists as long as that tool of the same source does. */
  const isOffered = ({ source, read }: Resource | ResourceTemplate): boolean =>
    typeof read === 'function' || tools.get(read.tool)?.source === source;

  const templateProblem = (template: ResourceTemplate): string | undefined => {
    const { uriTemplate, source } = template;
    const prefix = literalPrefix(uriTemplate);
    if (!scheme.test(prefix)) return 'a template must begin with the scheme of its addresses';
    if (isReserved(prefix, template)) return reservedReason;
    const same = templates.get(uriTemplate);
    if (same !== undefined) return `it is taken by source ${same.source}`;
    const rival = findValue(
      templates,
      (other) => other.source !== source && overlaps(prefix, literalPrefix(other.uriTemplate)),
    );
    return rival && `it overlaps the template ${rival.uriTemplate} of source ${rival.source}`;
  };
  const resourceProblem = (resource: Resource): string | undefined => {
    const { uri, source } = resource;
    if (isReserved(uri, resource)) return reservedReason;
    const key = addressKey(uri);
    const owner = resources.get(uri)?.source ?? spellings.get(key);
    // One source may use names that differ in case only; another one would imitate them.
    if (owner !== undefined && (owner !== source || resources.has(uri))) return `it is taken by source ${owner}`;
    const rival = findValue(
      templates,
      (other) => other.source !== source && (other.matches(uri) || other.matches(key)),
    );
    return rival && `it is an address of the template ${rival.uriTemplate} of source ${rival.source}`;
  };

  for (const listing of [...own, ...others]) {
    for (const template of listing.templates.filter(isOffered)) {
      const why = templateProblem(template);
      if (why === undefined) templates.set(template.uriTemplate, template);
      else withheld.push({ source: template.source, what: `template ${template.uriTemplate}`, why });
    }
    for (const resource of listing.resources.filter(isOffered)) {
      const why = resourceProblem(resource);
      if (why === undefined) {
        resources.set(resource.uri, resource);
        spellings.set(addressKey(resource.uri), resource.source);
      } else withheld.push({ source: resource.source, what: `resource ${resource.uri}`, why });
    }
  }
  return {
    resources: [...resources.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1)),
    templates: [...templates.values()].sort((a, b) => (a.uriTemplate < b.uriTemplate ? -1 : 1)),
    withheld,
  };
}

/**
 * The owner of an address: the resource listed under it, else the template that matches it. Asked before visibility, so that an
 * address which is hidden from a caller is not answered by the template of another source instead.
 */
export const findResource = (
  { resources, templates }: ResourceLists,
  uri: string,
): Resource | ResourceTemplate | undefined =>
  resources.find((each) => each.uri === uri) ?? templates.find((each) => each.matches(uri));

const reservedReason = 'addresses under toolgate: are reserved for the gateway';

/** An address by which spellings of the same one are equal: scheme and authority have no case (RFC 3986, section 6.2.2.1). */
const addressKey = (uri: string): string =>
  uri.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i, (start) => start.toLowerCase());

/** Reserved for the gateway; of the other sources only forms of tools are there, below their own name, and our code makes them. */
const isReserved = (address: string, { source, read }: Resource | ResourceTemplate): boolean =>
  reserved.test(address) &&
  !isGatewaySource(source) &&
  (typeof read === 'function' || !address.startsWith(`toolgate://${source}/`));

function findValue<T>(map: ReadonlyMap<string, T>, test: (value: T) => boolean): T | undefined {
  for (const value of map.values()) if (test(value)) return value;
  return undefined;
}

const literalPrefix = (template: string): string => template.split('{', 1)[0] ?? '';

/** Whether some address may begin with both; letters compare without case, because schemes and hosts do. */
const overlaps = (a: string, b: string): boolean => {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()];
  return one.startsWith(other) || other.startsWith(one);
};
