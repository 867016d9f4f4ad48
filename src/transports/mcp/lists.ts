import type { Gateway, View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { Features } from '../../wire/versions.js';
import { refusal } from './caller.js';
import type { Caller, Reply } from './caller.js';
import { toPromptDefinition, toResourceDefinition, toTemplateDefinition, toToolDefinition } from './definitions.js';
import type { Encoder } from './encode.js';

export interface ListOptions {
  readonly pageSize: number;
  /** Put on every modern list; `private` because lists differ by principal. */
  readonly caching: JsonObject;
}

interface Kind<T extends object> {
  readonly field: string;
  items(view: View): readonly T[];
  key(item: T): string;
  define(item: T, features: Features): JsonObject;
}

/** Answers one of the list methods. */
export type Lister = (params: JsonObject, caller: Caller) => Reply;

/** Pages longer than this are kept as bytes, so that nobody encodes them again. */
const keptAsBytes = 16_384;

// The name travels in the cursor: a list that changed between two pages is picked up after the same entry, or refused.
const toCursor = (offset: number, key: string): string =>
  Buffer.from(JSON.stringify([offset, key])).toString('base64url');

function fromCursor(cursor: unknown): readonly [number, string] | undefined {
  if (typeof cursor !== 'string' || cursor.length > 4_096) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(value) || !Number.isSafeInteger(value[0]) || value[0] < 1 || typeof value[1] !== 'string')
      return undefined;
    return [value[0], value[1]];
  } catch {
    return undefined;
  }
}

/** A lister that serialises every page once for as long as the gateway keeps returning the same array. */
function lister<T extends object>(kind: Kind<T>, { pageSize, caching }: ListOptions, encode: Encoder): Lister {
  const kept = new WeakMap<readonly T[], Map<string, string | Buffer>>();

  const start = (items: readonly T[], cursor: unknown): number | undefined => {
    if (cursor === undefined) return 0;
    const after = fromCursor(cursor);
    if (!after) return undefined;
    const [offset, key] = after;
    const last = items[offset - 1];
    if (last !== undefined && kind.key(last) === key) return offset;
    const moved = items.findIndex((item) => kind.key(item) === key);
    return moved < 0 ? undefined : moved + 1;
  };

  const page = (items: readonly T[], offset: number, features: Features): string | Buffer => {
    const slice = items.slice(offset, offset + pageSize);
    const last = slice.at(-1);
    const more = last !== undefined && offset + slice.length < items.length;
    const fields = {
      [kind.field]: slice.map((item) => kind.define(item, features)),
      ...(more && { nextCursor: toCursor(offset + slice.length, kind.key(last)) }),
      ...(features.modern && caching),
    };
    const text = encode.result(fields, features);
    return text.length > keptAsBytes ? Buffer.from(text) : text;
  };

  return (params, { view, features }) => {
    const items = kind.items(view);
    const offset = start(items, params['cursor']);
    if (offset === undefined) return refusal(rpcError(codes.invalidParams, 'Invalid cursor'));
    let pages = kept.get(items);
    if (!pages) kept.set(items, (pages = new Map()));
    const name = `${features.version}:${offset}`;
    let text = pages.get(name);
    if (text === undefined) pages.set(name, (text = page(items, offset, features)));
    return { result: text };
  };
}

/** The four list methods. */
export function listMethods(gateway: Gateway, options: ListOptions, encode: Encoder): Readonly<Record<string, Lister>> {
  return {
    'tools/list': lister(
      { field: 'tools', items: (view) => gateway.tools(view), key: (tool) => tool.name, define: toToolDefinition },
      options,
      encode,
    ),
    'prompts/list': lister(
      {
        field: 'prompts',
        items: (view) => gateway.prompts(view),
        key: (prompt) => prompt.name,
        define: toPromptDefinition,
      },
      options,
      encode,
    ),
    'resources/list': lister(
      {
        field: 'resources',
        items: (view) => gateway.resources(view),
        key: (resource) => resource.uri,
        define: toResourceDefinition,
      },
      options,
      encode,
    ),
    'resources/templates/list': lister(
      {
        field: 'resourceTemplates',
        items: (view) => gateway.templates(view),
        key: (template) => template.uriTemplate,
        define: toTemplateDefinition,
      },
      options,
      encode,
    ),
  };
}
