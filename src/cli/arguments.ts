import { readFileSync } from 'node:fs';
import type { Args } from '../core/call.js';

/** The arguments of a call as a command line gives them, or what is wrong with them. */
export function argumentsOf(json: string | undefined, pairs: readonly string[]): Args | string {
  const args: Record<string, unknown> = {};
  if (json !== undefined) {
    let given: unknown;
    try {
      given = JSON.parse(json.startsWith('@') ? readFileSync(json.slice(1), 'utf8') : json);
    } catch (error) {
      return `--args cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return '--args must be a JSON object';
    Object.assign(args, given);
  }
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) return `${JSON.stringify(pair)} is not name=value`;
    args[pair.slice(0, equals)] = valueOf(pair.slice(equals + 1));
  }
  return args as Args; // every value came out of JSON.parse or is text
}

function valueOf(text: string): unknown {
  if (!/^(-?\d+(\.\d+)?|true|false|null|[[{].*)$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
