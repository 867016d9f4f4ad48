import type { JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { builtinCommand } from './builtin-command.js';

/** A resource record: name, TTL, class, type, value. */
const recordPattern = /^([^;\s]\S*)\s+(\d+)\s+(IN|CH|HS)\s+([A-Z0-9]+)\s+(.+)$/;
/** Bound of records per answer; zone-like answers can be large. */
const maxRecords = 1000;
const sections = ['answer', 'authority', 'additional'] as const;

/** Schema of one section. */
const recordListSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      ttl: { type: 'integer' },
      type: { type: 'string' },
      value: { type: 'string' },
    },
    required: ['name', 'ttl', 'type', 'value'],
  },
} as const;

/** Parses the output of dig, in full or with +short. */
const digOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      status: { type: 'string' },
      flags: { type: 'array', items: { type: 'string' } },
      answer: recordListSchema,
      authority: recordListSchema,
      additional: recordListSchema,
      query_time_ms: { type: 'integer' },
      values: { type: 'array', items: { type: 'string' } },
    },
    required: ['values'],
  },
  read({ stdout, args }) {
    // +short prints values alone; lines that begin with a semicolon are errors.
    if (args['short'] === true)
      return {
        parsed: {
          values: stdout
            .split('\n')
            .filter((line) => line !== '' && !line.startsWith(';'))
            .slice(0, maxRecords),
        },
      };
    const status = /->>HEADER<<- opcode: \w+, status: ([A-Z0-9]+)/.exec(stdout)?.[1];
    // No header means no answer: the error is in stdout.
    if (status === undefined) return {};
    const [, flags = ''] = /^;; flags: ([a-z ]*);/m.exec(stdout) ?? [];
    const time = /^;; Query time: (\d+) msec/m.exec(stdout)?.[1];
    const found = Object.fromEntries(sections.map((section) => [section, parseRecords(stdout, section)]));
    const values = (found['answer'] ?? []).map((record) => record['value'] ?? '');
    return {
      parsed: {
        status,
        flags: flags.split(' ').filter(Boolean),
        ...found,
        ...(time !== undefined && { query_time_ms: Number(time) }),
        values,
      },
      summary: `${status}, ${values.length} answers`,
    };
  },
};

/** Records of one section, up to the empty line that ends it. */
function parseRecords(stdout: string, section: string): readonly JsonObject[] {
  const from = stdout.indexOf(`;; ${section.toUpperCase()} SECTION:`);
  if (from < 0) return [];
  const found: JsonObject[] = [];
  for (const line of stdout.slice(from).split('\n').slice(1, maxRecords)) {
    const [, name, ttl, , type, value] = recordPattern.exec(line) ?? [];
    if (line === '') break;
    if (name !== undefined) found.push({ name, ttl: Number(ttl), type, value });
  }
  return found;
}

/** `dig`: DNS lookups. */
export const dig = builtinCommand(
  'dig',
  {
    command: 'dig',
    title: 'DNS lookup',
    description: 'Looks up DNS records of a domain, or the host name of an address.',
    flags: {
      type: {
        flag: '-t',
        type: 'enum',
        description: 'Record type; by default A for a name and PTR for an address',
        values: [
          'A',
          'AAAA',
          'CNAME',
          'MX',
          'NS',
          'TXT',
          'SOA',
          'PTR',
          'SRV',
          'CAA',
          'DS',
          'DNSKEY',
          'TLSA',
          'HTTPS',
          'SVCB',
        ],
      },
      server: {
        flag: '@',
        type: 'address',
        form: 'attached',
        description: 'Address of the name server to query, within the network policy',
      },
      short: { flag: '+short', type: 'boolean', description: 'Values only' },
      dnssec: { flag: '+dnssec', type: 'boolean', description: 'Request DNSSEC records' },
      tcp: { flag: '+tcp', type: 'boolean', description: 'Query over TCP' },
      time: {
        flag: '+time',
        type: 'integer',
        min: 1,
        max: 5,
        form: 'equals',
        default: 3,
        description: 'Seconds to wait for an answer',
      },
      tries: {
        flag: '+tries',
        type: 'integer',
        min: 1,
        max: 2,
        form: 'equals',
        default: 1,
        description: 'Number of attempts',
      },
    },
    // -r ignores ~/.digrc, which could set flags that are not on the allow-list.
    always: ['-r'],
    target: { kind: 'domain', flag: '-q', takes_addresses: true, address_flag: '-x' },
    extra_args: true,
    limits: { timeout_sec: 15, max_timeout_sec: 60, concurrency: 5, max_stdout_bytes: 262_144 },
    effects: { labels: ['network'] },
  },
  { parser: digOutput },
);
