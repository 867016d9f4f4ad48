import { randomUUID } from 'node:crypto';
import type { Json } from '../../core/json.js';
import { bodyKind } from './body-kinds.js';
import { baseType } from './messages.js';
import type { Body, Encoding } from './model.js';
import { isFile, propertiesOf, unwrapped, type BodySlot } from './plan.js';
import type { Schema, Schemas } from './schemas.js';
import { encoded, inQuery, listed, plainText } from './styles.js';
import { isRaw, textOf } from './values.js';

/** A body ready to be sent, or why it cannot be. */
export type Written =
  | { readonly ok: true; readonly contentType: string; readonly bytes: string | Uint8Array }
  | { readonly ok: false; readonly message: string };

/** Writes the argument of a body in the media type that was declared, with all its parameters. */
export function written(slot: BodySlot, value: Json, schemas: Pick<Schemas, 'def'>): Written {
  const { body, kind } = slot;
  if (kind === 'json')
    return {
      ok: true,
      contentType: baseType(body.mediaType).includes('*') ? 'application/json' : body.mediaType,
      bytes: JSON.stringify(value),
    };
  if (kind === 'form') return { ok: true, contentType: body.mediaType, bytes: formText(value, body) };
  if (kind === 'multipart') return multipart(slot, value, schemas);
  if (kind === 'text') return { ok: true, contentType: body.mediaType, bytes: plainText(value) };
  const file = fileOf(value);
  return file === undefined
    ? noBase64
    : {
        ok: true,
        contentType: file.type ?? (body.mediaType.includes('*') ? 'application/octet-stream' : body.mediaType),
        bytes: file.bytes,
      };
}

const noBase64: Written = { ok: false, message: 'holds bytes that are not base64' };
const usual = { style: 'form', explode: true, allowReserved: false } as const;

/** `a=1&b=2`; a list repeats its name, an object is JSON unless its encoding says otherwise. */
export function formText(value: Json, { encodings }: Pick<Body, 'encodings'>): string {
  const fields = isRaw(value) ? Object.entries(value) : [];
  return fields
    .flatMap(([name, item]) => {
      if (item === undefined || item === null) return [];
      const json = item as Json; // arguments are JSON
      const encoding = encodings.get(name);
      if (encoding?.layout) return inQuery(name, json, encoding.layout);
      if (encoding?.contentType !== undefined && bodyKind(encoding.contentType) === 'json')
        return [`${encoded(name)}=${encoded(JSON.stringify(json))}`];
      return isRaw(json) ? [`${encoded(name)}=${encoded(JSON.stringify(json))}`] : inQuery(name, json, usual);
    })
    .join('&')
    .replaceAll('%20', '+');
}

interface File {
  readonly bytes: Buffer;
  readonly name?: string;
  readonly type?: string;
}

/** The bytes of an argument: base64 alone, or with a name and type. */
function fileOf(value: Json): File | undefined {
  const text = typeof value === 'string' ? value : textOf(value, 'base64');
  // Buffer skips what it does not know, so that half of a text would be sent as if it were the whole.
  if (text === undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text.replaceAll(/[\r\n]/g, ''))) return undefined;
  const [name, type] = [textOf(value, 'filename'), textOf(value, 'content_type')];
  if (type !== undefined && !/^[\w.+-]+\/[\w.+-]+$/.test(type)) return undefined;
  return {
    bytes: Buffer.from(text, 'base64'),
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
  };
}

function multipart({ body, schema }: BodySlot, value: Json, schemas: Pick<Schemas, 'def'>): Written {
  // Unguessable, so that no value can end its part and begin another.
  const boundary = `toolgate-${randomUUID()}`;
  const parts: Buffer[] = [];
  const properties = propertiesOf(schema, schemas);
  for (const [name, item] of isRaw(value) ? Object.entries(value) : []) {
    if (item === undefined || item === null) continue;
    const declared = unwrapped(properties.get(name) ?? {}, schemas);
    const encoding = body.encodings.get(name);
    const isMany = Array.isArray(item);
    const inner = isMany && isRaw(declared['items']) ? unwrapped(declared['items'] as Schema, schemas) : declared; // converted
    const values = (isMany ? item : [item]) as readonly Json[]; // arguments are JSON
    // A list that its encoding writes into one text is one part.
    const isJoined = isMany && encoding?.layout?.explode === false && values.every((one) => typeof one !== 'object');
    for (const one of isJoined ? [listed(values, encoding?.layout?.style ?? 'form')] : values) {
      const part = partOf(name, one, inner, encoding);
      if (part === undefined) return noBase64;
      parts.push(Buffer.from(`--${boundary}\r\n${part.head}\r\n\r\n`), part.bytes, Buffer.from('\r\n'));
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { ok: true, contentType: `${baseType(body.mediaType)}; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}

/** Quotes and line ends in a name would add headers of the caller's own to the part. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll('"', '%22')
    .replaceAll(/[\r\n\0]/g, (char) => encoded(char))
    .slice(0, 255)}"`;

function partOf(
  name: string,
  value: Json,
  schema: Schema,
  encoding: Encoding | undefined,
): { readonly head: string; readonly bytes: Buffer } | undefined {
  const declared = encoding?.contentType?.split(',')[0]?.trim();
  const isBytes = isFile(schema, encoding?.contentType) || isFileSchema(schema);
  const disposition = `content-disposition: form-data; name=${quoted(name)}`;
  if (isBytes) {
    const file = fileOf(value);
    if (file === undefined) return undefined;
    const type =
      file.type ?? (declared === undefined || declared.includes('*') ? 'application/octet-stream' : declared);
    return {
      head: `${disposition}; filename=${quoted(file.name ?? name)}\r\ncontent-type: ${safeType(type)}`,
      bytes: file.bytes,
    };
  }
  const isJson = typeof value === 'object' || (declared !== undefined && bodyKind(declared) === 'json');
  const type = declared ?? (isJson ? 'application/json' : undefined);
  return {
    head: type === undefined ? disposition : `${disposition}\r\ncontent-type: ${safeType(type)}`,
    bytes: Buffer.from(isJson ? JSON.stringify(value) : plainText(value)),
  };
}

const safeType = (type: string): string => type.replaceAll(/[^\t\x20-\x7e]/g, '');

/** The schema that stands in for bytes in an argument. */
const isFileSchema = (schema: Schema): boolean =>
  Array.isArray(schema['anyOf']) &&
  schema['anyOf'].some((part) => isRaw(part) && part['contentEncoding'] === 'base64' && part['type'] === 'string') &&
  schema['anyOf'].length === 2;
