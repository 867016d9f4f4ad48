import type { Machine } from './machine.js';
import { constant, list, unknown, type Value } from './values.js';

/** Settings without which a server does not start: whoever runs it has made them. */
const needed =
  /(?:key|token|secret|passw(?:or)?d|passphrase|credential|auth|url|uri|endpoint|username|hostname|database)s?$|^(?:host|port|user|email|domain|path|dir|directory|account|org|organi[sz]ation|project|region|profile|dsn|connection|db|id|home|site|workspace|tenant|client|server|base)s?$/i;
/** Words of a switch, which is off until somebody turns it on, whatever it is about: ALLOW_DATABASE_WRITES. */
const switches =
  /^(?:allow|enable|disable|with|without|include|exclude|use|no|skip|read_?only|writes?|dry|debug|verbose|features?|experimental|beta|toolsets?|tools?)(?:d|s)?$/i;

function isNeeded(name: string): boolean {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').split(/[^A-Za-z0-9]+/);
  return !words.some((word) => switches.test(word)) && words.some((word) => needed.test(word));
}

/** What an environment variable holds: nothing where the run assumes that nobody set it, anything otherwise. */
export function environmentOf(machine: Machine, name: string, otherwise: Value): Value {
  if (machine.settings === 'any' || isNeeded(name)) return unknown(`environment ${name}`);
  machine.assumed = true;
  return otherwise;
}

/** The command line: no arguments where the run assumes that nobody gave any. */
export function argumentsOf(machine: Machine): Value {
  if (machine.settings === 'any') return list([], true);
  machine.assumed = true;
  return list([constant('node'), constant('main')]);
}
