import type { OutputParser } from '../definition.js';
import { builtinCommand } from './builtin-command.js';

/** A field of a record; bounded, because responses are free text of foreign servers. */
const fieldPattern = /^\s{0,8}([A-Za-z][A-Za-z0-9 /_.-]{0,48}):\s+(\S.*)$/;
const maxFields = 500;

/** Fields that occur several times, by the spellings of registries. */
const listFields = {
  name_servers: ['name server', 'nserver'],
  status: ['domain status', 'status'],
} as const;
/** Fields of which the first value counts. */
const singleFields = {
  domain: ['domain name', 'domain'],
  registrar: ['registrar', 'sponsoring registrar'],
  created: ['creation date', 'created'],
  updated: ['updated date', 'changed', 'last-modified'],
  expires: ['registry expiry date', 'registrar registration expiration date', 'expires'],
  network: ['inetnum', 'inet6num', 'netrange', 'cidr'],
  organisation: ['orgname', 'org-name', 'organisation', 'organization', 'registrant organization'],
  country: ['country', 'registrant country'],
} as const;

/** Parses the common fields of whois records; registries use different names for them. */
export const whoisOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.keys(singleFields).map((name) => [name, { type: 'string' }])),
      ...Object.fromEntries(
        Object.keys(listFields).map((name) => [name, { type: 'array', items: { type: 'string' } }]),
      ),
    },
    required: Object.keys(listFields),
  },
  read({ stdout }) {
    const fields: (readonly [string, string])[] = [];
    for (const line of stdout.split('\n')) {
      const [, name, value] = fieldPattern.exec(line) ?? [];
      if (name !== undefined && value !== undefined) fields.push([name.toLowerCase(), value.trim()]);
      if (fields.length >= maxFields) break;
    }
    if (fields.length === 0) return {};
    const all = (names: readonly string[]): readonly string[] =>
      fields.filter(([name]) => names.includes(name)).map(([, value]) => value);
    const found = Object.entries(singleFields).flatMap(([name, spellings]) => {
      const [first] = all(spellings);
      return first === undefined ? [] : [[name, first] as const];
    });
    return {
      parsed: {
        ...Object.fromEntries(found),
        ...Object.fromEntries(
          Object.entries(listFields).map(([name, spellings]) => [name, [...new Set(all(spellings))]]),
        ),
      },
    };
  },
};

/** `whois`: registration data of a domain, an address or an AS number. */
export const whois = builtinCommand(
  'whois',
  {
    command: 'whois',
    title: 'Whois',
    description: 'Looks up the registration data of a domain, an IP address or an AS number.',
    // No flags: -h and -p would connect to any port of any host (SSRF).
    flags: {},
    // Referrals are not followed: they would let a response choose the next host to connect to (SSRF).
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
