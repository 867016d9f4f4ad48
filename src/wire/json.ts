import { isUtf8 } from 'node:buffer';
import type { Json } from '../core/json.js';
import { countMembers } from '../lib/json/json-limits.js';

/** Why bytes are not accepted as JSON; the same words at every door. */
type JsonFault = 'too_deep' | 'not_utf8' | 'not_json' | 'duplicate_key' | 'lone_surrogate' | 'number_range';

export interface JsonProblem {
  readonly fault: JsonFault;
  readonly message: string;
  /** The parsed value, if the bytes are JSON and break only the rules of I-JSON; only good for finding the id to answer. */
  readonly value?: Json;
}

export interface JsonLimits {
  readonly maxDepth: number;
  /** Requires I-JSON (RFC 7493); for input of clients, which decides what runs. */
  readonly strict: boolean;
}

/** Limits for input of clients; deep nesting would overflow the stack of recursive code. */
export const clientJson: JsonLimits = { maxDepth: 64, strict: true };

const messages: Readonly<Record<Exclude<JsonFault, 'too_deep'>, string>> = {
  not_utf8: 'Not UTF-8',
  not_json: 'Not valid JSON',
  duplicate_key: 'An object has the same key twice',
  lone_surrogate: 'A string contains half of a surrogate pair',
  number_range: 'A number is too large',
};

const problem = (fault: keyof typeof messages, value?: Json): { readonly problem: JsonProblem } => ({
  problem: { fault, message: messages[fault], ...(value !== undefined && { value }) },
});

/**
 * The one JSON decoder of all doors: checks depth, UTF-8 and, if `strict`, I-JSON. Without I-JSON two readers of one text may see two
 * calls: of duplicate keys they take the first or the last, a lone surrogate turns into U+FFFD on its way to an upstream, 1e999 into null.
 */
export function decodeJson(
  bytes: Buffer,
  { maxDepth, strict }: JsonLimits,
): { readonly value: Json; readonly text: string } | { readonly problem: JsonProblem } {
  const members = countMembers(bytes, maxDepth);
  if (members === undefined) return { problem: { fault: 'too_deep', message: `JSON nests deeper than ${maxDepth}` } };
  // Invalid UTF-8 would be replaced silently, and two parsers could then read two different tool names.
  if (!isUtf8(bytes)) return problem('not_utf8');
  const text = bytes.toString('utf8');
  let value: Json;
  try {
    // JSON.parse returns JSON by definition; its declared type is wider.
    value = JSON.parse(text) as Json;
  } catch {
    return problem('not_json');
  }
  if (!strict) return { value, text };
  const walk: Walk = { members: 0, fault: undefined };
  inspect(value, walk);
  if (walk.fault !== undefined) return problem(walk.fault, value);
  return walk.members === members ? { value, text } : problem('duplicate_key', value);
}

interface Walk {
  members: number;
  fault: 'lone_surrogate' | 'number_range' | undefined;
}

/** Counts members and looks for values that I-JSON forbids; the depth is bounded before. */
function inspect(value: Json | undefined, walk: Walk): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) walk.fault = 'lone_surrogate';
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) walk.fault = 'number_range';
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) for (const item of value as readonly Json[]) inspect(item, walk);
    else {
      const object = value as { readonly [key: string]: Json };
      for (const key of Object.keys(object)) {
        walk.members += 1;
        if (!key.isWellFormed()) walk.fault = 'lone_surrogate';
        inspect(object[key], walk);
      }
    }
  }
}
