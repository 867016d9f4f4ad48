import type { JsonObject } from '../../../core/json.js';
import type { CommandDefinition } from '../definition.js';
import { dig } from './dig.js';
import { nmap } from './nmap.js';
import { ping } from './ping.js';
import { tlsInspect } from './tls-inspect.js';
import { traceroute } from './traceroute.js';
import { whois } from './whois.js';

/** The built-in commands. */
export function builtins(onEvent: (event: string, fields: JsonObject) => void): readonly CommandDefinition[] {
  return [
    ping,
    traceroute,
    nmap((script) => onEvent('nmap.intrusive_script_blocked', { script })),
    dig,
    whois,
    tlsInspect,
  ];
}
