import { readFileSync } from 'node:fs';
import type { Args } from '../core/call.js';
import { describeSystemError } from '../lib/system-error.js';

/** Parses the arguments of a call from `--args` and `name=value` pairs; returns a message if they are not valid. */
export function parseCallArguments(json: string | undefined, pairs: readonly string[]): Args | string {
  const args: Record<string, unknown> = {};
  if (json !== undefined) {
    let text = json;
    if (json.startsWith('@')) {
      try {
        text = readFileSync(json.slice(1), 'utf8');
      } catch (error) {
        return `cannot read --args file ${JSON.stringify(json.slice(1))}: ${describeSystemError(error)}`;
      }
    }
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return '--args is not valid JSON';
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return '--args must be a JSON object';
    Object.assign(args, given);
  }
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) return `${JSON.stringify(pair)} is not of the form name=value`;
    args[pair.slice(0, equals)] = parseArgumentValue(pair.slice(equals + 1));
  }
  return args as Args; // every value came out of JSON.parse or is text
}

/** Values that look like JSON are parsed as JSON, everything else is text. */
function parseArgumentValue(text: string): unknown {
  if (!/^(-?\d+(\.\d+)?|true|false|null|[[{].*)$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
