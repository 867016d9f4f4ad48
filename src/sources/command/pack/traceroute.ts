import type { JsonObject } from '../../../core/json.js';
import type { OutputParser } from '../definition.js';
import { builtinCommand } from './builtin-command.js';

/** A line with the number of a hop. */
const hopPattern = /^\s*(\d{1,3})\s{2}(.+)$/;

/** Parses the output of traceroute -n. */
export const tracerouteOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      reached: { type: 'boolean' },
      hops: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            hop: { type: 'integer' },
            addresses: { type: 'array', items: { type: 'string' } },
            times_ms: { type: 'array', items: { type: 'number' } },
            lost: { type: 'integer' },
          },
          required: ['hop', 'addresses', 'times_ms', 'lost'],
        },
      },
    },
    required: ['reached', 'hops'],
  },
  read({ stdout, args }) {
    const hops = stdout
      .split('\n')
      .flatMap((line) => parseHop(line) ?? [])
      .slice(0, 255);
    if (hops.length === 0) return {};
    // Only the vetted address counts: a hop on the way may answer under another one.
    const reached = (hops.at(-1)?.addresses ?? []).includes(String(args['address']));
    return {
      parsed: { reached, hops },
      summary: `${reached ? 'reached' : 'not reached'} in ${hops.length} ${hops.length === 1 ? 'hop' : 'hops'}`,
    };
  },
};

/** One hop: addresses that answered, times and lost probes. */
function parseHop(line: string): (JsonObject & { readonly addresses: readonly string[] }) | undefined {
  const [, hop, rest = ''] = hopPattern.exec(line) ?? [];
  if (hop === undefined) return undefined;
  const words = rest.trim().split(/\s+/);
  return {
    hop: Number(hop),
    addresses: [
      ...new Set(
        words.filter((word, index) => /^[0-9a-f.:]+$/i.test(word) && words[index + 1] !== 'ms' && /[.:]/.test(word)),
      ),
    ],
    times_ms: words
      .filter((_, index) => words[index + 1] === 'ms')
      .map(Number)
      .filter(Number.isFinite),
    lost: words.filter((word) => word === '*').length,
  };
}

/** `traceroute`: the route to a host. */
export const traceroute = builtinCommand(
  'traceroute',
  {
    command: 'traceroute',
    title: 'Traceroute',
    description: 'Traces the route to a host and measures the response time of each hop.',
    flags: {
      max_hops: {
        flag: ['-m', '--max-hops'],
        type: 'integer',
        min: 1,
        max: 30,
        default: 20,
        description: 'Maximum number of hops',
      },
      queries: {
        flag: ['-q', '--queries'],
        type: 'integer',
        min: 1,
        max: 3,
        default: 2,
        description: 'Probes per hop',
      },
      wait: {
        flag: ['-w', '--wait'],
        type: 'integer',
        min: 1,
        max: 5,
        default: 2,
        description: 'Seconds to wait for each reply',
      },
      ipv4: { flag: '-4', type: 'boolean', excludes: ['ipv6'], description: 'Use IPv4 where the name has both' },
      ipv6: { flag: '-6', type: 'boolean', description: 'Use IPv6 where the name has both' },
      icmp: {
        flag: ['-I', '--icmp'],
        type: 'boolean',
        needs: ['privileged'],
        excludes: ['tcp'],
        description: 'Probe with ICMP',
      },
      tcp: { flag: ['-T', '--tcp'], type: 'boolean', needs: ['privileged'], description: 'Probe with TCP' },
    },
    // -N bounds parallel probes; -n avoids reverse lookups, which would show the name server every hop.
    always: ['-n', '-N', '8'],
    end_of_flags: true,
    target: { kind: 'host' },
    extra_args: true,
    limits: { timeout_sec: 60, max_timeout_sec: 300, concurrency: 2, max_stdout_bytes: 65_536 },
    effects: { labels: ['network'] },
  },
  { parser: tracerouteOutput },
);
