import type { Json } from '../../../core/json.js';
import type { Layout } from '../document/model.js';
import { isRawObject } from '../document/fields.js';

/** Percent-encodes everything except letters, digits and `-._~` (RFC 3986 unreserved). */
export const percentEncode = (text: string): string =>
  // Lone surrogates cannot be encoded and would throw.
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** For `allowReserved`: keeps reserved characters except those that would end the value (parameter pollution). */
const percentEncodeKeepingReserved = (text: string): string =>
  percentEncode(text).replaceAll(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** A scalar as text; lists and objects become JSON. */
export const toPlainText = (value: Json): string =>
  typeof value === 'string'
    ? value
    : value !== null && typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** Narrows to a list. */
const isJsonList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Fields of an object that have a value; null means absent in every style. */
const objectFields = (value: Json): readonly (readonly [string, Json])[] =>
  isRawObject(value)
    ? Object.entries(value).flatMap(([key, item]) =>
        item === undefined || item === null ? [] : [[key, item as Json] as const],
      )
    : [];

/** Items of a list that have a value. */
const withoutNulls = (value: readonly Json[]): readonly Json[] => value.filter((item) => item !== null);

/** Encodes a value for a path segment. */
export function encodePathValue(name: string, value: Json, { style, explode }: Layout): string {
  const text = (item: Json): string => percentEncode(toPlainText(item));
  const pairs = (between: string, joined: string): string =>
    objectFields(value)
      .map(([key, item]) => `${percentEncode(key)}${between}${text(item)}`)
      .join(joined);
  if (style === 'label') {
    const dot = explode ? '.' : ',';
    if (isJsonList(value)) return `.${withoutNulls(value).map(text).join(dot)}`;
    return `.${isRawObject(value) ? pairs(explode ? '=' : ',', dot) : text(value)}`;
  }
  if (style === 'matrix') {
    const key = percentEncode(name);
    if (isJsonList(value))
      return explode
        ? withoutNulls(value)
            .map((item) => `;${key}=${text(item)}`)
            .join('')
        : `;${key}=${withoutNulls(value).map(text).join(',')}`;
    if (isRawObject(value)) return explode ? `;${pairs('=', ';')}` : `;${key}=${pairs(',', ',')}`;
    return `;${key}=${text(value)}`;
  }
  const separator =
    style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : style === 'tabDelimited' ? '%09' : ',';
  if (isJsonList(value)) return withoutNulls(value).map(text).join(separator);
  return isRawObject(value) ? pairs(explode ? '=' : ',', ',') : text(value);
}

/** Encodes a value as `name=value` pairs of a query or form. */
export function encodeQueryPairs(
  name: string,
  value: Json,
  { style, explode, allowReserved }: Layout,
): readonly string[] {
  const text = (item: Json): string =>
    (allowReserved ? percentEncodeKeepingReserved : percentEncode)(toPlainText(item));
  const key = percentEncode(name);
  if (value === null) return [];
  if (style === 'deepObject' && (isRawObject(value) || isJsonList(value))) return encodeDeepObject(key, value, text);
  if (isJsonList(value)) {
    const items = withoutNulls(value);
    if (explode) return items.map((item) => `${key}=${text(item)}`);
    return items.length === 0 ? [] : [`${key}=${items.map(text).join(separatorFor(style))}`];
  }
  if (!isRawObject(value)) return [`${key}=${text(value)}`];
  const fields = objectFields(value);
  if (explode && style === 'form') return fields.map(([field, item]) => `${percentEncode(field)}=${text(item)}`);
  return fields.length === 0
    ? []
    : [
        `${key}=${fields.map(([field, item]) => `${percentEncode(field)}${separatorFor(style)}${text(item)}`).join(separatorFor(style))}`,
      ];
}

/** Separator of a style, encoded for a query. */
const separatorFor = (style: Layout['style']): string =>
  style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : style === 'tabDelimited' ? '%09' : ',';

/** Encodes `o[k]=v`, and deeper levels as `o[k][0][m]=v`, as most servers expect. */
function encodeDeepObject(key: string, value: Json, text: (item: Json) => string): readonly string[] {
  const entries = isJsonList(value) ? value.map((item, index) => [String(index), item] as const) : objectFields(value);
  return entries.flatMap(([field, item]) => {
    const inner = `${key}%5B${percentEncode(field)}%5D`;
    return item === null
      ? []
      : typeof item === 'object'
        ? encodeDeepObject(inner, item, text)
        : [`${inner}=${text(item)}`];
  });
}

/** Joins a list with the separator of its style, without encoding. */
export const joinList = (value: readonly Json[], style: Layout['style']): string =>
  withoutNulls(value)
    .map(toPlainText)
    .join(style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : style === 'tabDelimited' ? '\t' : ',');

/** Formats a value for a header, without encoding. */
export function encodeHeaderValue(value: Json, { style, explode }: Layout): string {
  if (isJsonList(value)) return joinList(value, style);
  if (!isRawObject(value)) return toPlainText(value);
  return objectFields(value)
    .map(([key, item]) => `${key}${explode ? '=' : ','}${toPlainText(item)}`)
    .join(',');
}

/** Formats a value as `name=value` cookies; undefined if it contains characters that would add another cookie. */
export function encodeCookiePairs(
  name: string,
  value: Json,
  { style, explode }: Layout,
): readonly string[] | undefined {
  const isRawStyle = style === 'cookie';
  const text = (item: Json): string => (isRawStyle ? toPlainText(item) : percentEncode(toPlainText(item)));
  const pairs = isJsonList(value)
    ? explode
      ? withoutNulls(value).map((item) => [name, text(item)] as const)
      : [[name, withoutNulls(value).map(text).join(',')] as const]
    : isRawObject(value)
      ? explode
        ? objectFields(value).map(([key, item]) => [isRawStyle ? key : percentEncode(key), text(item)] as const)
        : [
            [
              name,
              objectFields(value)
                .flatMap(([key, item]) => [isRawStyle ? key : percentEncode(key), text(item)])
                .join(','),
            ] as const,
          ]
      : [[name, text(value)] as const];
  // A semicolon or comma in a value would start another cookie (cookie injection).
  const isSafe = pairs.every(
    ([key, item]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key) && /^[!#-+\--:<-[\]-~,]*$/.test(item),
  );
  return isSafe ? pairs.map(([key, item]) => `${key}=${item}`) : undefined;
}
