import type { Json } from '../../core/json.js';
import type { Layout } from './model.js';
import { isRaw } from './values.js';

/** Percent-encodes everything that is not a letter, a digit or one of `-._~`. */
export const encoded = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Leaves reserved characters be, but for those that would end the value: the parameter after it is not the caller's to add. */
const reserved = (text: string): string =>
  encoded(text).replaceAll(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** The text of a value that is not a list or an object; those become JSON. */
export const plainText = (value: Json): string =>
  typeof value === 'string'
    ? value
    : value !== null && typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const fieldsOf = (value: Json): readonly (readonly [string, Json])[] =>
  isRaw(value)
    ? Object.entries(value).flatMap(([key, item]) =>
        item === undefined || item === null ? [] : [[key, item as Json] as const],
      )
    : [];

const present = (value: readonly Json[]): readonly Json[] => value.filter((item) => item !== null);

/** A value inside a path segment. */
export function inPath(name: string, value: Json, { style, explode }: Layout): string {
  const text = (item: Json): string => encoded(plainText(item));
  const pairs = (between: string, joined: string): string =>
    fieldsOf(value)
      .map(([key, item]) => `${encoded(key)}${between}${text(item)}`)
      .join(joined);
  if (style === 'label') {
    const dot = explode ? '.' : ',';
    if (isList(value)) return `.${present(value).map(text).join(dot)}`;
    return `.${isRaw(value) ? pairs(explode ? '=' : ',', dot) : text(value)}`;
  }
  if (style === 'matrix') {
    const key = encoded(name);
    if (isList(value))
      return explode
        ? present(value)
            .map((item) => `;${key}=${text(item)}`)
            .join('')
        : `;${key}=${present(value).map(text).join(',')}`;
    if (isRaw(value)) return explode ? `;${pairs('=', ';')}` : `;${key}=${pairs(',', ',')}`;
    return `;${key}=${text(value)}`;
  }
  const separator =
    style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : style === 'tabDelimited' ? '%09' : ',';
  if (isList(value)) return present(value).map(text).join(separator);
  return isRaw(value) ? pairs(explode ? '=' : ',', ',') : text(value);
}

/** A value as `name=value` pairs of a query or a form, already encoded. */
export function inQuery(name: string, value: Json, { style, explode, allowReserved }: Layout): readonly string[] {
  const text = (item: Json): string => (allowReserved ? reserved : encoded)(plainText(item));
  const key = encoded(name);
  if (value === null) return [];
  if (style === 'deepObject' && (isRaw(value) || isList(value))) return deep(key, value, text);
  if (isList(value)) {
    const items = present(value);
    if (explode) return items.map((item) => `${key}=${text(item)}`);
    return items.length === 0 ? [] : [`${key}=${items.map(text).join(separatorOf(style))}`];
  }
  if (!isRaw(value)) return [`${key}=${text(value)}`];
  const fields = fieldsOf(value);
  if (explode && style === 'form') return fields.map(([field, item]) => `${encoded(field)}=${text(item)}`);
  return fields.length === 0
    ? []
    : [
        `${key}=${fields.map(([field, item]) => `${encoded(field)}${separatorOf(style)}${text(item)}`).join(separatorOf(style))}`,
      ];
}

const separatorOf = (style: Layout['style']): string =>
  style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : style === 'tabDelimited' ? '%09' : ',';

/** `o[k]=v`, and for what lies deeper `o[k][0][m]=v`, as most servers read it. */
function deep(key: string, value: Json, text: (item: Json) => string): readonly string[] {
  const entries = isList(value) ? value.map((item, index) => [String(index), item] as const) : fieldsOf(value);
  return entries.flatMap(([field, item]) => {
    const inner = `${key}%5B${encoded(field)}%5D`;
    return item === null ? [] : typeof item === 'object' ? deep(inner, item, text) : [`${inner}=${text(item)}`];
  });
}

/** A list in one text, as it is, between the separators of its style. */
export const listed = (value: readonly Json[], style: Layout['style']): string =>
  present(value)
    .map(plainText)
    .join(style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : style === 'tabDelimited' ? '\t' : ',');

/** A value in a header, as it is: headers know no encoding. */
export function inHeader(value: Json, { style, explode }: Layout): string {
  if (isList(value)) return listed(value, style);
  if (!isRaw(value)) return plainText(value);
  return fieldsOf(value)
    .map(([key, item]) => `${key}${explode ? '=' : ','}${plainText(item)}`)
    .join(',');
}

/** A value as `name=value` cookies; in the 3.2 style they are not encoded, so one that would need it cannot be sent. */
export function inCookie(name: string, value: Json, { style, explode }: Layout): readonly string[] | undefined {
  const isRawStyle = style === 'cookie';
  const text = (item: Json): string => (isRawStyle ? plainText(item) : encoded(plainText(item)));
  const pairs = isList(value)
    ? explode
      ? present(value).map((item) => [name, text(item)] as const)
      : [[name, present(value).map(text).join(',')] as const]
    : isRaw(value)
      ? explode
        ? fieldsOf(value).map(([key, item]) => [isRawStyle ? key : encoded(key), text(item)] as const)
        : [
            [
              name,
              fieldsOf(value)
                .flatMap(([key, item]) => [isRawStyle ? key : encoded(key), text(item)])
                .join(','),
            ] as const,
          ]
      : [[name, text(value)] as const];
  const isSafe = pairs.every(
    ([key, item]) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key) && /^[!#-+\--:<-[\]-~,]*$/.test(item),
  );
  return isSafe ? pairs.map(([key, item]) => `${key}=${item}`) : undefined;
}
