import { randomUUID } from 'node:crypto';
import type { Json } from '../../../core/json.js';
import { bodyKind } from './body-kinds.js';
import { baseType } from '../document/messages.js';
import type { Body, Encoding } from '../document/model.js';
import { isFileField, collectProperties, unwrapSchema, type BodySlot } from './argument-plan.js';
import type { Schema, SchemaConverter } from '../schemas/converter.js';
import { percentEncode, encodeQueryPairs, joinList, toPlainText } from './parameter-styles.js';
import { isRawObject, textField } from '../document/fields.js';

/** An encoded body, or why the argument is invalid. */
type EncodedBody =
  | { readonly ok: true; readonly contentType: string; readonly bytes: string | Uint8Array }
  | { readonly ok: false; readonly message: string };

/** Encodes a body argument in its declared media type. */
export function encodeBody(slot: BodySlot, value: Json, schemas: Pick<SchemaConverter, 'def'>): EncodedBody {
  const { body, kind } = slot;
  if (kind === 'json')
    return {
      ok: true,
      // A wildcard is no media type that could be sent.
      contentType: baseType(body.mediaType).includes('*') ? 'application/json' : body.mediaType,
      bytes: JSON.stringify(value),
    };
  if (kind === 'form') return { ok: true, contentType: body.mediaType, bytes: encodeForm(value, body) };
  if (kind === 'multipart') return encodeMultipart(slot, value, schemas);
  if (kind === 'text') return { ok: true, contentType: body.mediaType, bytes: toPlainText(value) };
  const file = parseFile(value);
  return file === undefined
    ? invalidBase64
    : {
        ok: true,
        contentType: file.type ?? (body.mediaType.includes('*') ? 'application/octet-stream' : body.mediaType),
        bytes: file.bytes,
      };
}

/** Rejection of a file argument. */
const invalidBase64: EncodedBody = { ok: false, message: 'contains invalid base64' };
/** Layout of form fields without a declared one. */
const defaultLayout = { style: 'form', explode: true, allowReserved: false } as const;

/** Encodes `a=1&b=2`; lists repeat their name, objects become JSON by default. */
export function encodeForm(value: Json, { encodings }: Pick<Body, 'encodings'>): string {
  const fields = isRawObject(value) ? Object.entries(value) : [];
  return (
    fields
      .flatMap(([name, item]) => {
        if (item === undefined || item === null) return [];
        const json = item as Json; // arguments are JSON
        const encoding = encodings.get(name);
        if (encoding?.layout) return encodeQueryPairs(name, json, encoding.layout);
        if (encoding?.contentType !== undefined && bodyKind(encoding.contentType) === 'json')
          return [`${percentEncode(name)}=${percentEncode(JSON.stringify(json))}`];
        return isRawObject(json)
          ? [`${percentEncode(name)}=${percentEncode(JSON.stringify(json))}`]
          : encodeQueryPairs(name, json, defaultLayout);
      })
      .join('&')
      // Forms encode spaces as plus signs.
      .replaceAll('%20', '+')
  );
}

/** A file in an argument. */
interface FileArgument {
  readonly bytes: Buffer;
  readonly name?: string;
  readonly type?: string;
}

/** Parses a file argument: base64, or an object with file name and content type. */
function parseFile(value: Json): FileArgument | undefined {
  const text = typeof value === 'string' ? value : textField(value, 'base64');
  // Buffer.from ignores invalid characters, so a truncated file would be sent without an error.
  if (text === undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text.replaceAll(/[\r\n]/g, ''))) return undefined;
  const [name, type] = [textField(value, 'filename'), textField(value, 'content_type')];
  // The type becomes a header of the part, so that only media types are accepted.
  if (type !== undefined && !/^[\w.+-]+\/[\w.+-]+$/.test(type)) return undefined;
  return {
    bytes: Buffer.from(text, 'base64'),
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
  };
}

/** Encodes a multipart body part by part. */
function encodeMultipart({ body, schema }: BodySlot, value: Json, schemas: Pick<SchemaConverter, 'def'>): EncodedBody {
  // Random, so that no value can contain the boundary and add a part (multipart injection).
  const boundary = `toolgate-${randomUUID()}`;
  const parts: Buffer[] = [];
  const properties = collectProperties(schema, schemas);
  for (const [name, item] of isRawObject(value) ? Object.entries(value) : []) {
    if (item === undefined || item === null) continue;
    const declared = unwrapSchema(properties.get(name) ?? {}, schemas);
    const encoding = body.encodings.get(name);
    const isArray = Array.isArray(item);
    const inner =
      isArray && isRawObject(declared['items']) ? unwrapSchema(declared['items'] as Schema, schemas) : declared; // already converted
    const values = (isArray ? item : [item]) as readonly Json[]; // arguments are JSON
    // A list with `explode: false` is one part.
    const isJoined =
      isArray && encoding?.layout?.explode === false && values.every((entry) => typeof entry !== 'object');
    for (const entry of isJoined ? [joinList(values, encoding?.layout?.style ?? 'form')] : values) {
      const part = encodePart(name, entry, inner, encoding);
      if (part === undefined) return invalidBase64;
      parts.push(Buffer.from(`--${boundary}\r\n${part.head}\r\n\r\n`), part.bytes, Buffer.from('\r\n'));
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { ok: true, contentType: `${baseType(body.mediaType)}; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}

/** Escapes quotes and line breaks, which would add headers to the part (header injection). */
const quoteParameter = (text: string): string =>
  `"${text
    .replaceAll('"', '%22')
    .replaceAll(/[\r\n\0]/g, (char) => percentEncode(char))
    .slice(0, 255)}"`;

/** Encodes one part; undefined if it is a file with invalid Base64. */
function encodePart(
  name: string,
  value: Json,
  schema: Schema,
  encoding: Encoding | undefined,
): { readonly head: string; readonly bytes: Buffer } | undefined {
  // A list of alternatives: the first is as good as any.
  const declared = encoding?.contentType?.split(',')[0]?.trim();
  const isBinary = isFileField(schema, encoding?.contentType) || isFileSchema(schema);
  const disposition = `content-disposition: form-data; name=${quoteParameter(name)}`;
  if (isBinary) {
    const file = parseFile(value);
    if (file === undefined) return undefined;
    const type =
      file.type ?? (declared === undefined || declared.includes('*') ? 'application/octet-stream' : declared);
    return {
      head: `${disposition}; filename=${quoteParameter(file.name ?? name)}\r\ncontent-type: ${headerSafeType(type)}`,
      bytes: file.bytes,
    };
  }
  const isJson = typeof value === 'object' || (declared !== undefined && bodyKind(declared) === 'json');
  const type = declared ?? (isJson ? 'application/json' : undefined);
  return {
    head: type === undefined ? disposition : `${disposition}\r\ncontent-type: ${headerSafeType(type)}`,
    bytes: Buffer.from(isJson ? JSON.stringify(value) : toPlainText(value)),
  };
}

/** A media type without characters that could end the header. */
const headerSafeType = (type: string): string => type.replaceAll(/[^\t\x20-\x7e]/g, '');

/** Whether this is the schema that replaces binary content in arguments. */
const isFileSchema = (schema: Schema): boolean =>
  Array.isArray(schema['anyOf']) &&
  schema['anyOf'].some(
    (part) => isRawObject(part) && part['contentEncoding'] === 'base64' && part['type'] === 'string',
  ) &&
  schema['anyOf'].length === 2;
