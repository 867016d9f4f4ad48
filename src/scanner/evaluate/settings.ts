import type { Machine } from './machine.js';
import { constant, list, unknown, type Value } from './values.js';

/** Settings without which a server does not start: whoever runs it has made them. */
const needed =
  /key|token|secret|passw|credential|auth|url|uri|host|port|endpoint|account|user|email|org|project|region|profile|dsn|connection|database|db_|_id$|^id$|domain|home|path|dir|site|workspace|tenant|client|server|base/i;

/** What an environment variable holds: nothing where the run assumes that nobody set it, anything otherwise. */
export function environmentOf(machine: Machine, name: string, otherwise: Value): Value {
  if (machine.settings === 'any' || needed.test(name)) return unknown(`environment ${name}`);
  machine.assumed = true;
  return otherwise;
}

/** The command line: no arguments where the run assumes that nobody gave any. */
export function argumentsOf(machine: Machine): Value {
  if (machine.settings === 'any') return list([], true);
  machine.assumed = true;
  return list([constant('node'), constant('main')]);
}
