import type { CommandDefinition } from '../definition.js';
import { builtinCommand } from './builtin-command.js';
import { nmapOutput } from './nmap-output.js';
import { intrusiveCategories, scriptCheck } from './nmap-scripts.js';

/** Ways to scan, of which a call uses one. */
const scanTypes = ['connect_scan', 'ping_scan', 'syn_scan', 'udp_scan'];
const otherScanTypes = (own: string): string[] => scanTypes.filter((name) => name !== own);
/** Arguments that already choose ports, so that the default of 1000 ports does not apply. */
const portChoices = ['ports', 'top_ports', 'fast', 'ping_scan'];
// Replacement for `-sC` without the default scripts that are intrusive or contact third parties.
const safeDefaultScripts = `default and safe and not (${intrusiveCategories.join(' or ')})`;
const safeScripts = `safe and not (${intrusiveCategories.join(' or ')})`;

/** `nmap`: hosts that are up and their open ports. */
export function nmap(onBlocked: (script: string) => void): CommandDefinition {
  const scripts = scriptCheck(onBlocked);
  return builtinCommand(
    'nmap',
    {
      command: 'nmap',
      title: 'Port scan',
      description: 'Scans a host or a network of at most 1024 addresses for open ports and services.',
      flags: {
        // The only scan that needs no raw sockets, hence the default.
        connect_scan: {
          flag: '-sT',
          type: 'boolean',
          default: true,
          excludes: otherScanTypes('connect_scan'),
          description: 'TCP connect scan',
        },
        ping_scan: {
          flag: '-sn',
          type: 'boolean',
          excludes: [
            ...otherScanTypes('ping_scan'),
            'ports',
            // Would send packets with forged headers and needs root, hence two permissions.
            'top_ports',
            'fast',
            'version_detection',
            'default_scripts',
            'scripts',
          ],
          description: 'Host discovery only, without a port scan',
        },
        syn_scan: {
          flag: '-sS',
          type: 'boolean',
          needs: ['intrusive', 'privileged'],
          excludes: otherScanTypes('syn_scan'),
          description: 'TCP SYN scan',
        },
        udp_scan: {
          flag: '-sU',
          type: 'boolean',
          needs: ['intrusive', 'privileged'],
          excludes: otherScanTypes('udp_scan'),
          description: 'UDP scan',
        },
        os_detection: {
          flag: '-O',
          type: 'boolean',
          needs: ['intrusive', 'privileged'],
          description: 'Detect the operating system',
        },
        aggressive: {
          flag: '-A',
          type: 'boolean',
          needs: ['intrusive', 'privileged'],
          excludes: ['default_scripts', 'scripts'],
          description: 'Operating system, versions, scripts and traceroute in one scan',
        },
        unprivileged: {
          flag: '--unprivileged',
          type: 'boolean',
          default: true,
          excludes: ['syn_scan', 'udp_scan', 'os_detection', 'aggressive'],
          description: 'Use no raw sockets',
        },
        version_detection: {
          flag: '-sV',
          type: 'boolean',
          description: 'Detect service and version on open ports',
        },
        version_intensity: {
          flag: '--version-intensity',
          type: 'integer',
          min: 0,
          max: 9,
          description: 'Intensity of version detection',
        },
        skip_discovery: { flag: '-Pn', type: 'boolean', description: 'Skip host discovery and treat every host as up' },
        ports: {
          flag: '-p',
          type: 'ports',
          max_length: 1200,
          excludes: ['top_ports', 'fast'],
          description: 'Ports and ranges, such as 22,80-443',
        },
        top_ports: {
          flag: '--top-ports',
          type: 'integer',
          min: 1,
          max: 1000,
          default: 1000,
          default_unless: portChoices,
          excludes: ['fast'],
          description: 'Number of most common ports to scan',
        },
        fast: { flag: '-F', type: 'boolean', description: 'The 100 most common ports' },
        // 5 is missing: it drops accuracy and floods slow networks.
        timing: {
          flag: '-T',
          type: 'integer',
          min: 0,
          max: 4,
          form: 'attached',
          default: 4,
          description: 'Pace, from 0 (very slow) to 4',
        },
        max_parallelism: {
          flag: '--max-parallelism',
          type: 'integer',
          min: 1,
          max: 10,
          default: 10,
          description: 'Maximum number of parallel probes',
        },
        max_retries: {
          flag: '--max-retries',
          type: 'integer',
          min: 0,
          max: 3,
          description: 'Maximum retries per probe',
        },
        host_timeout: {
          flag: '--host-timeout',
          type: 'string',
          pattern: '[1-9][0-9]{0,3}s',
          example: '60s',
          description: 'Skip a host after this time',
        },
        ttl: { flag: '--ttl', type: 'integer', min: 1, max: 255, description: 'Time to live of the probes' },
        syn_discovery: {
          flag: '-PS',
          type: 'ports',
          form: 'attached',
          max_length: 200,
          description: 'Find hosts by TCP connections to these ports',
        },
        ack_discovery: {
          flag: '-PA',
          type: 'ports',
          form: 'attached',
          max_length: 200,
          description: 'Find hosts by TCP ACK probes to these ports',
        },
        open_only: { flag: '--open', type: 'boolean', description: 'Report open ports only' },
        reason: { flag: '--reason', type: 'boolean', description: 'Report why a port is in its state' },
        default_scripts: {
          flag: '-sC',
          type: 'boolean',
          passes: ['--script', safeDefaultScripts],
          excludes: ['scripts'],
          description: 'Run the safe default scripts',
        },
        safe_scripts: {
          flag: '--safe-scripts',
          type: 'boolean',
          passes: ['--script', safeScripts],
          excludes: ['scripts', 'default_scripts', 'vuln_scripts'],
          description: 'Run every script of the category safe that is in no harmful category',
        },
        vuln_scripts: {
          flag: '--vuln-scripts',
          type: 'boolean',
          passes: ['--script', 'vuln'],
          needs: ['intrusive'],
          excludes: ['scripts', 'default_scripts'],
          description: 'Run the scripts of the category vuln',
        },
        scripts: {
          flag: '--script',
          type: 'list',
          pattern: '[a-z0-9][a-z0-9-]{0,63}',
          max_items: 10,
          example: 'http-title',
          description: 'Names of installed scripts',
        },
      },
      // Appended last, so that they override the caller's flags: XML on stdout, no keyboard input, no DNS lookups, bounded rate.
      always: ['-oX', '-', '--noninteractive', '--no-stylesheet', '--max-rate', '1000', '-n'],
      // Everything after `--` is a target, so that no target can be read as a flag (argument injection).
      end_of_flags: true,
      target: { kind: 'cidr', ipv6_flag: '-6' },
      templates: {
        quick: { timing: 4, top_ports: 100 },
        standard: { timing: 4, top_ports: 1000, version_detection: true },
        thorough: { ports: '1-65535', version_detection: true, default_scripts: true },
        discovery: { ping_scan: true, timing: 4 },
        version: { version_detection: true, version_intensity: 5 },
        script: { default_scripts: true },
      },
      extra_args: true,
      limits: {
        timeout_sec: 600,
        max_timeout_sec: 3600,
        // One at a time: a scan is heavy for the network, whatever it costs this machine.
        concurrency: 1,
        max_stdout_bytes: 4_194_304,
        file_descriptors: 256,
      },
      ranges: { timeout_sec: [60, 3600], concurrency: [1, 5] },
      breaker: { recovery_timeout: 120 },
      effects: { labels: ['network', 'scan'] },
    },
    { parser: nmapOutput, checks: { scripts: scripts.check }, clear: scripts.clear },
  );
}
