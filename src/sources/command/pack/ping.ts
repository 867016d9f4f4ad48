import type { OutputParser } from '../definition.js';
import { builtinCommand } from './builtin-command.js';

/** Summary line of iputils. */
const countsPattern = /(\d+) packets transmitted, (\d+) received.*? (\d+(?:\.\d+)?)% packet loss/;
const timesPattern = /= ([\d.]+)\/([\d.]+)\/([\d.]+)\/([\d.]+) ms/;
const replyPattern = /icmp_seq=(\d+) ttl=(\d+) time=([\d.]+) ms/g;

/** Parses the output of iputils ping. */
export const pingOutput: OutputParser = {
  schema: {
    type: 'object',
    properties: {
      transmitted: { type: 'integer' },
      received: { type: 'integer' },
      loss_percent: { type: 'number' },
      rtt_ms: {
        type: 'object',
        properties: {
          min: { type: 'number' },
          avg: { type: 'number' },
          max: { type: 'number' },
          mdev: { type: 'number' },
        },
      },
      replies: {
        type: 'array',
        items: {
          type: 'object',
          properties: { seq: { type: 'integer' }, ttl: { type: 'integer' }, time_ms: { type: 'number' } },
          required: ['seq', 'ttl', 'time_ms'],
        },
      },
    },
    required: ['transmitted', 'received', 'loss_percent', 'replies'],
  },
  read({ stdout }) {
    const [, sent, received, loss] = countsPattern.exec(stdout) ?? [];
    // BusyBox and macOS print other summaries; then only stdout is returned.
    if (sent === undefined || received === undefined) return {};
    const [, min, avg, max, mdev] = timesPattern.exec(stdout) ?? [];
    // A flood of replies is impossible with the bounded count, but the output is not trusted.
    const replies = [...stdout.matchAll(replyPattern)]
      .slice(0, 100)
      .map(([, seq, ttl, time]) => ({ seq: Number(seq), ttl: Number(ttl), time_ms: Number(time) }));
    return {
      parsed: {
        transmitted: Number(sent),
        received: Number(received),
        loss_percent: Number(loss),
        ...(min !== undefined && {
          rtt_ms: { min: Number(min), avg: Number(avg), max: Number(max), mdev: Number(mdev) },
        }),
        replies,
      },
      summary: `${received} of ${sent} replies${avg === undefined ? '' : `, ${avg} ms on average`}`,
    };
  },
};

/** `ping`: reachability and round-trip times of a host. */
export const ping = builtinCommand(
  'ping',
  {
    command: 'ping',
    title: 'Ping',
    description: 'Sends ICMP echo requests to a host and reports replies, loss and round-trip times.',
    flags: {
      count: { flag: '-c', type: 'integer', min: 1, max: 10, default: 4, description: 'Number of requests to send' },
      interval: { flag: '-i', type: 'number', min: 0.2, max: 2, description: 'Seconds between requests' },
      reply_timeout: { flag: '-W', type: 'integer', min: 1, max: 5, description: 'Seconds to wait for each reply' },
      size: { flag: '-s', type: 'integer', min: 0, max: 1472, description: 'Bytes of data in each request' },
      ttl: { flag: '-t', type: 'integer', min: 1, max: 255, description: 'Time to live of the requests' },
      ipv4: { flag: '-4', type: 'boolean', excludes: ['ipv6'], description: 'Use IPv4 where the name has both' },
      ipv6: { flag: '-6', type: 'boolean', description: 'Use IPv6 where the name has both' },
    },
    // Without a deadline ping could run forever; -n disables reverse DNS lookups.
    always: ['-w', '30', '-n'],
    end_of_flags: true,
    target: { kind: 'host' },
    extra_args: true,
    limits: { timeout_sec: 30, max_timeout_sec: 60, concurrency: 5, max_stdout_bytes: 65_536 },
    effects: { labels: ['network'] },
    // ping needs file capabilities for its raw socket, which no_new_privs would disable.
    sandbox: { new_privileges: true },
  },
  { parser: pingOutput },
);
