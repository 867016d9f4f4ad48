import type { Json, JsonObject } from '../core/json.js';
import { decodeHeaderValue, encodeHeaderValue } from './headers.js';
import type { Headers } from './headers.js';
import { isJsonObject } from './message.js';

/** An argument that a client must repeat as the header `Mcp-Param-<name>`. */
export interface ParamHeader {
  readonly name: string;
  readonly path: readonly string[];
}

const headerToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const maxDepth = 8;
const headerTypes = new Set<unknown>(['string', 'integer', 'boolean']);

/** Collects the headers that a schema requests with `x-mcp-header`; undefined if the schema breaks their rules. */
export function paramHeaders(schema: JsonObject): readonly ParamHeader[] | undefined {
  const found: ParamHeader[] = [];
  const seen = new Set<string>();
  const walk = (node: JsonObject, path: readonly string[]): boolean => {
    const properties = node['properties'];
    if (!isJsonObject(properties) || path.length >= maxDepth) return true;
    return Object.entries(properties).every(([key, property]) => {
      if (!isJsonObject(property)) return true;
      const name = property['x-mcp-header'];
      const here = [...path, key];
      if (name === undefined) return walk(property, here);
      if (
        typeof name !== 'string' ||
        !headerToken.test(name) ||
        !headerTypes.has(property['type']) ||
        seen.has(name.toLowerCase())
      )
        return false;
      seen.add(name.toLowerCase());
      found.push({ name, path: here });
      return true;
    });
  };
  return walk(schema, []) ? found : undefined;
}

const valueAt = (args: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    args,
  );

const headerText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Builds the `Mcp-Param-*` headers for these arguments. */
export function toParamHeaders(declared: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, path } of declared) {
    const value = valueAt(args, path);
    if (value !== undefined && value !== null)
      headers[`mcp-param-${name.toLowerCase()}`] = encodeHeaderValue(headerText(value));
  }
  return headers;
}

/** Describes how the `Mcp-Param-*` headers of a request contradict its arguments; undefined if they agree. */
export function paramHeaderProblem(
  declared: readonly ParamHeader[],
  headers: Headers,
  args: JsonObject,
): string | undefined {
  for (const { name, path } of declared) {
    const header = headers[`mcp-param-${name.toLowerCase()}`];
    const value = valueAt(args, path);
    const absent = value === undefined || value === null;
    if (header === undefined) {
      if (absent) continue;
      return `The Mcp-Param-${name} header is missing`;
    }
    const decoded = typeof header === 'string' ? decodeHeaderValue(header.trim()) : undefined;
    if (decoded === undefined) return `The Mcp-Param-${name} header is not a single valid value`;
    if (absent) return `The Mcp-Param-${name} header has no matching argument in the body`;
    // Compare integers as numbers: 7, 7.0 and 07 are equal.
    const same =
      typeof value === 'number' ? decoded.trim() !== '' && Number(decoded) === value : decoded === headerText(value);
    if (!same) return `The Mcp-Param-${name} header differs from the body`;
  }
  return undefined;
}
