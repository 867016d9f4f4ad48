import { readFileSync } from 'node:fs';
import type { Args } from '../core/call.js';
import type { Json } from '../core/json.js';
import { describeSystemError } from '../lib/system-error.js';
import { clientJson, decodeJson } from '../wire/json.js';
import type { JsonProblem } from '../wire/json.js';
import { decodeArguments } from '../wire/json-arguments.js';

/** Parses the arguments of a call from `--args` and `name=value` pairs; returns a message if they are not valid. */
export function parseCallArguments(json: string | undefined, pairs: readonly string[]): Args | string {
  const args: [string, Json | undefined][] = [];
  if (json !== undefined) {
    // The same decoder as all doors, with its bounds on depth and duplicate keys, so that the command line accepts no other
    // JSON.
    let bytes = Buffer.from(json);
    if (json.startsWith('@')) {
      try {
        bytes = readFileSync(json.slice(1));
      } catch (error) {
        return `cannot read --args file ${JSON.stringify(json.slice(1))}: ${describeSystemError(error)}`;
      }
    }
    const decoded = decodeArguments(bytes, '--args');
    if ('error' in decoded) return `${decoded.error.message} (${decoded.error.code})`;
    args.push(...Object.entries(decoded.args));
  }
  // Pairs come after --args and so override the fields of the same name in it.
  for (const pair of pairs) {
    // The first sign separates: values may contain further ones, as base64 and query strings do.
    const equals = pair.indexOf('=');
    if (equals < 1) return `${JSON.stringify(pair)} is not of the form name=value`;
    const parsed = parseArgumentValue(pair.slice(equals + 1));
    if ('problem' in parsed)
      return `${pair.slice(0, equals)} cannot be read: ${parsed.problem.message} (invalid_arguments)`;
    args.push([pair.slice(0, equals), parsed.value]);
  }
  // fromEntries defines properties: an assignment to the key `__proto__` would change the prototype instead.
  return Object.fromEntries(args);
}

/** Values that look like JSON are parsed as JSON, everything else is text. */
function parseArgumentValue(text: string): { readonly value: Json } | { readonly problem: JsonProblem } {
  if (!/^(-?\d+(\.\d+)?|true|false|null|[[{].*)$/s.test(text)) return { value: text };
  // Text that only looks like JSON, such as "[draft] report", stays text.
  const decoded = decodeJson(Buffer.from(text), clientJson);
  return 'problem' in decoded && decoded.problem.fault === 'not_json' ? { value: text } : decoded;
}
