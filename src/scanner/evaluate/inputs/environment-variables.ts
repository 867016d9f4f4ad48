import type { Machine } from '../interpreter/abstract-machine.js';
import { constant, listValue, unknown, type Value } from '../values/values.js';

/** Settings a server needs to start (credentials, URLs): assumed to be set. */
const requiredSettings =
  /(?:key|token|secret|passw(?:or)?d|passphrase|credential|auth|url|uri|endpoint|username|hostname|database)s?$|^(?:host|port|user|email|domain|path|dir|directory|account|org|organi[sz]ation|project|region|profile|dsn|connection|db|id|home|site|workspace|tenant|client|server|base)s?$/i;
/** Words that mark a feature switch, off by default even if it names a resource: ALLOW_DATABASE_WRITES. */
const switchWords =
  /^(?:allow|enable|disable|with|without|include|exclude|use|no|skip|read_?only|writes?|dry|debug|verbose|features?|experimental|beta|toolsets?|tools?)(?:d|s)?$/i;

function isRequired(name: string): boolean {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').split(/[^A-Za-z0-9]+/);
  return !words.some((word) => switchWords.test(word)) && words.some((word) => requiredSettings.test(word));
}

/** Value of an environment variable: the default in a run with unset settings, unknown otherwise. */
export function environmentValue(machine: Machine, name: string, otherwise: Value): Value {
  if (machine.settings === 'any' || isRequired(name)) return unknown(`environment ${name}`);
  machine.assumedUnset = true;
  return otherwise;
}

/** `process.argv`: no arguments in a run with unset settings, unknown otherwise. */
export function commandLineArguments(machine: Machine): Value {
  if (machine.settings === 'any') return listValue([], true);
  machine.assumedUnset = true;
  return listValue([constant('node'), constant('main')]);
}
