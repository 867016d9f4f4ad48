import type { Content } from './content.js';
import { text } from './content.js';
import type { Json, JsonObject } from './json.js';

/** Deeper data is cut off: whoever nests so far wants to exhaust a reader. */
const maxDepth = 200;

/** What is done to each text of a result. */
export interface Pen {
  text(value: string): string;
  /** Whether a picture or sound of this many characters may stay. */
  fits(length: number): boolean;
  /** Counts what is no text, such as keys and numbers; false once there is more of that than may stay. */
  weigh(length: number): boolean;
  /** Told where something was left out. */
  cut(): void;
}

/** The parts with every text rewritten; the very same list where nothing changed. */
export const rewriteContent = (content: readonly Content[], pen: Pen): readonly Content[] => list(content, pen, part);

/** The data with every text rewritten; keys and types never change, and unchanged data is the very same. */
export const rewriteData = (data: Json, pen: Pen): Json => json(data, pen, 0);

/** A copy with the named texts rewritten, or the very same object. */
export function rewriteFields<T extends object, K extends keyof T>(value: T, pen: Pen, names: readonly K[]): T {
  let result = value;
  for (const name of names) {
    const given = value[name];
    if (typeof given !== 'string') continue;
    const written = pen.text(given);
    if (written !== given) result = { ...result, [name]: written };
  }
  return result;
}

function list<T>(values: readonly T[], pen: Pen, each: (value: T, pen: Pen) => T): readonly T[] {
  let copy: T[] | undefined;
  for (const [index, value] of values.entries()) {
    const result = each(value, pen);
    if (result !== value) (copy ??= [...values])[index] = result;
  }
  return copy ?? values;
}

const part = (value: Content, pen: Pen): Content => rewritten(value, pen) ?? leftOut('a part of the result', pen);

/** Undefined where more was written beside the text than may stay. */
function rewritten(value: Content, pen: Pen): Content | undefined {
  switch (value.type) {
    case 'text': {
      const result = pen.text(value.text);
      return others(result === value.text ? value : { ...value, text: result }, pen, textFields);
    }
    case 'image':
    case 'audio':
      return pen.fits(value.data.length)
        ? others(value, pen, mediaFields)
        : leftOut(`${value.type} of ${value.data.length} base64 characters`, pen);
    case 'resource': {
      const { resource } = value;
      if (resource.blob !== undefined && !pen.fits(resource.blob.length))
        return leftOut(`resource of ${resource.blob.length} base64 characters`, pen);
      const result = others(resource, pen, bytesOfResource);
      return result && others(result === resource ? value : { ...value, resource: result }, pen, resourceFields);
    }
    default:
      return others(value, pen, nothing);
  }
}

/** Half an image is no image: what does not fit is named instead. */
function leftOut(what: string, pen: Pen): Content {
  pen.cut();
  return text(pen.text(`[${what} left out: over the output limit]`));
}

const textFields: readonly string[] = ['type', 'text'];
const mediaFields: readonly string[] = ['type', 'data'];
const resourceFields: readonly string[] = ['type', 'resource'];
const bytesOfResource: readonly string[] = ['blob'];
const nothing: readonly string[] = [];

/** A block with all its other fields rewritten: a stranger can write into the ones that nobody here knows, too. */
function others<T extends object>(value: T, pen: Pen, written: readonly string[]): T | undefined {
  const fields = value as Readonly<Record<string, Json | undefined>>; // blocks came out of JSON
  let copy: T | undefined;
  for (const key of Object.keys(value)) {
    const given = fields[key];
    if (given === undefined || written.includes(key)) continue;
    const result = json(given, pen, 1);
    if (!pen.weigh(key.length)) return undefined;
    if (result !== given) define((copy ??= { ...value }), key, result);
  }
  return copy ?? value;
}

function json(value: Json, pen: Pen, depth: number): Json {
  if (typeof value === 'string') return pen.text(value);
  // What is over its weight is given up as a whole: there is no use in looking through the rest.
  if (!pen.weigh(smallest) || value === null || typeof value !== 'object') return value;
  if (depth >= maxDepth) {
    pen.cut();
    return pen.text('[nested too deep]');
  }
  if (isList(value)) return list(value, pen, (item) => json(item, pen, depth + 1));
  let copy: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined || !pen.weigh(key.length)) continue;
    const result = json(given, pen, depth + 1);
    if (result !== given) define((copy ??= { ...value }), key, result);
  }
  return copy ?? value;
}

/** What a number or an empty list takes at the least, with its comma. */
const smallest = 2;

/** A key named `__proto__` must stay a key. */
function define(record: object, key: string, value: Json): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
