import type { OutputParser } from '../definition.js';
import { packed } from './packed.js';

const fieldLine = /^\s{0,8}([A-Za-z][A-Za-z0-9 /_.-]{0,48}):\s+(\S.*)$/;
const maxFields = 500;

const lists = {
  name_servers: ['name server', 'nserver'],
  status: ['domain status', 'status'],
} as const;
const singles = {
  domain: ['domain name', 'domain'],
  registrar: ['registrar', 'sponsoring registrar'],
  created: ['creation date', 'created'],
  updated: ['updated date', 'changed', 'last-modified'],
  expires: ['registry expiry date', 'registrar registration expiration date', 'expires'],
  network: ['inetnum', 'inet6num', 'netrange', 'cidr'],
  organisation: ['orgname', 'org-name', 'organisation', 'organization', 'registrant organization'],
  country: ['country', 'registrant country'],
} as const;

/** Reads the fields that registries agree on, whatever each of them calls it. */
export const whoisOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.keys(singles).map((name) => [name, { type: 'string' }])),
      ...Object.fromEntries(Object.keys(lists).map((name) => [name, { type: 'array', items: { type: 'string' } }])),
    },
    required: Object.keys(lists),
  },
  read({ stdout }) {
    const fields: (readonly [string, string])[] = [];
    for (const line of stdout.split('\n')) {
      const [, name, value] = fieldLine.exec(line) ?? [];
      if (name !== undefined && value !== undefined) fields.push([name.toLowerCase(), value.trim()]);
      if (fields.length >= maxFields) break;
    }
    if (fields.length === 0) return {};
    const all = (names: readonly string[]): readonly string[] =>
      fields.filter(([name]) => names.includes(name)).map(([, value]) => value);
    const found = Object.entries(singles).flatMap(([name, spellings]) => {
      const [first] = all(spellings);
      return first === undefined ? [] : [[name, first] as const];
    });
    return {
      parsed: {
        ...Object.fromEntries(found),
        ...Object.fromEntries(Object.entries(lists).map(([name, spellings]) => [name, [...new Set(all(spellings))]])),
      },
    };
  },
};

/** `whois`: who holds a domain, an address or a network number. */
export const whois = packed(
  'whois',
  {
    command: 'whois',
    title: 'Whois',
    description: 'Asks the registries who holds a domain, an address or an AS number.',
    // No flags at all: -h and -p would let a caller talk to any port of any host.
    flags: {},
    // A registry names the registrar to ask next; following it would let an answer choose where we connect.
    always: ['--no-recursion', '-H'],
    end_of_flags: true,
    target: {
      kind: 'domain',
      takes_addresses: true,
      description: 'A domain, an IP address or an AS number such as AS64500',
    },
    limits: { timeout_sec: 30, max_timeout_sec: 60, concurrency: 2, max_stdout_bytes: 262_144 },
    effects: { labels: ['network'] },
  },
  { parser: whoisOutput },
);
