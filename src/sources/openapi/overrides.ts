import type { Json, JsonObject } from '../../core/json.js';
import { clean } from '../../hostile-text/clean.js';
import type { Operation } from './model.js';
import { entriesOf, flagOf, isRaw, own, textOf, textsOf, type Raw } from './values.js';

/** What may be said about an operation beside what follows from it. */
export interface Override {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
  readonly labels?: readonly string[];
  /** Schemas of single arguments, each in place of the declared one. */
  readonly arguments?: Readonly<Record<string, JsonObject>>;
  readonly meta?: JsonObject;
}

/** An operator's words about a document, by operationId or `METHOD /path`. */
export type Overlay = ReadonlyMap<string, Override>;

const known = new Set([
  'name',
  'title',
  'description',
  'hidden',
  'read_only',
  'destructive',
  'idempotent',
  'open_world',
  'labels',
  'arguments',
  'meta',
]);

/** Reads an overlay file's data; a misspelt key is a problem, since the override it was meant for would silently not happen. */
export function readOverlay(
  value: unknown,
): { readonly ok: true; readonly overlay: Overlay } | { readonly ok: false; readonly problem: string } {
  if (!isRaw(value) || !isRaw(own(value, 'operations')) || Object.keys(value).some((key) => key !== 'operations'))
    return { ok: false, problem: 'an overlay is an object with `operations` and nothing else' };
  const overlay = new Map<string, Override>();
  for (const [key, raw] of entriesOf(value, 'operations')) {
    const wrong = isRaw(raw) ? Object.keys(raw).find((field) => !known.has(field)) : key;
    if (!isRaw(raw) || wrong !== undefined)
      return {
        ok: false,
        problem: `operations.${key.slice(0, 80)}: ${isRaw(raw) ? `${wrong?.slice(0, 40)} is not a known key` : 'is not an object'}`,
      };
    overlay.set(key, overrideOf(raw));
  }
  return { ok: true, overlay };
}

/** The overlay's word, then the document's own `x-mcp`, key by key. */
export function overrideFor(operation: Operation, overlay: Overlay): Override {
  const document = own(operation.extensions, 'x-mcp');
  const byId = operation.operationId === undefined ? undefined : overlay.get(operation.operationId);
  return {
    ...(isRaw(document) && tidied(overrideOf(document))),
    ...byId,
    ...overlay.get(`${operation.method} ${operation.path}`),
  };
}

const mostMeta = 4_096;

/** A document's own words about its metadata, without anything unseen and not too many: they go to every client that lists the tool. */
function tidied({ meta, ...rest }: Override): Override {
  if (meta === undefined || Buffer.byteLength(JSON.stringify(meta)) > mostMeta) return rest;
  return {
    ...rest,
    meta: Object.fromEntries(
      Object.entries(meta).map(([key, value]) => [clean(key).text, value === undefined ? value : cleaned(value)]),
    ),
  };
}

function cleaned(value: Json): Json {
  if (typeof value === 'string') return clean(value).text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [clean(key).text, item === undefined ? item : cleaned(item)]),
  );
}

function overrideOf(raw: Raw): Override {
  const [name, title, description] = [textOf(raw, 'name'), textOf(raw, 'title'), textOf(raw, 'description')];
  const flags = {
    hidden: flagOf(raw, 'hidden'),
    readOnly: flagOf(raw, 'read_only'),
    destructive: flagOf(raw, 'destructive'),
    idempotent: flagOf(raw, 'idempotent'),
    openWorld: flagOf(raw, 'open_world'),
  };
  const schemas = entriesOf(raw, 'arguments').filter((entry): entry is readonly [string, JsonObject] =>
    isRaw(entry[1]),
  );
  const meta = own(raw, 'meta');
  return {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
    ...(Array.isArray(own(raw, 'labels')) && { labels: textsOf(raw, 'labels') }),
    ...(schemas.length > 0 && { arguments: Object.fromEntries(schemas) }),
    ...(isRaw(meta) && { meta: meta as Record<string, Json> }), // overlays are JSON or YAML without tags
  };
}
