import type { Content, ResourceContents } from './content.js';
import { text } from './content.js';
import type { Json } from './json.js';

/** Deeper data is cut off: whoever nests so far wants to exhaust a reader. */
const maxDepth = 200;

/** What is done to each text of a result. */
export interface Pen {
  text(value: string): string;
  /** Whether a picture or sound of this many characters may stay. */
  fits(length: number): boolean;
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

function part(value: Content, pen: Pen): Content {
  switch (value.type) {
    case 'text': {
      const result = pen.text(value.text);
      return result === value.text ? value : { ...value, text: result };
    }
    case 'image':
    case 'audio':
      // Half an image is no image: what does not fit is named instead.
      if (pen.fits(value.data.length)) return value;
      pen.cut();
      return text(
        pen.text(`[${value.type} of ${value.data.length} base64 characters left out: over the output limit]`),
      );
    case 'resource': {
      const result = resource(value.resource, pen);
      return result === value.resource ? value : { ...value, resource: result };
    }
    case 'resource_link':
      return rewriteFields(value, pen, ['name', 'title', 'description']);
    default:
      return value;
  }
}

const resource = (value: ResourceContents, pen: Pen): ResourceContents => rewriteFields(value, pen, ['text']);

function json(value: Json, pen: Pen, depth: number): Json {
  if (typeof value === 'string') return pen.text(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= maxDepth) {
    pen.cut();
    return pen.text('[nested too deep]');
  }
  if (isList(value)) return list(value, pen, (item) => json(item, pen, depth + 1));
  let copy: Record<string, Json | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined) continue;
    const result = json(given, pen, depth + 1);
    // defineProperty: a key named __proto__ must stay a key.
    if (result !== given)
      Object.defineProperty((copy ??= { ...value }), key, {
        value: result,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return copy ?? value;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
