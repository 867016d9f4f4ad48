import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Severity } from '../../scanner/rules/rule.js';
import { describeSystemError } from '../../lib/system-error.js';
import { didYouMean, failure, parseCommandLine, usageError } from '../command-line.js';
import { scanFormats } from '../scan/job.js';
import { installedServers } from '../scan/installed.js';
import { runScan, type ScanIo, type WantedTarget } from '../scan/run.js';

export const help = `Usage: toolgate scan <folder | file | package.tgz | npm:name@version | pypi:name==version | URL>... [options]
       toolgate scan --installed [options]
       toolgate scan diff <old> <new> [options]
       toolgate scan explain <rule>

Scans the source of MCP servers for vulnerabilities. Nothing is executed; packages are downloaded without running their scripts.
For a URL, the texts that a model reads and the transport are checked; no tool is called.

  --installed                         scan every server that the assistants on this machine are configured to start
  --format text|json|sarif|markdown|html   output format; text by default (diff: text or json)
  --json                              the same as --format json
  --fail-on critical|high|medium|low  exit with 1 from this severity on; high by default
  --baseline file                     known findings, which do not count: a report in --format json
  --rules id,id                       run only these rules
  --header 'Name: value'              header for a URL, such as credentials; may be repeated
  --no-heuristics                     omit functions that only look like tools by name
`;

/** Values of --fail-on, from strict to lax. */
const failOnSeverities: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

/** Options of a scan. */
interface Options {
  readonly sources: readonly string[];
  readonly isInstalled: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: (typeof scanFormats)[number];
  readonly failOn: Severity;
  readonly baseline: string | undefined;
  readonly rules: readonly string[] | undefined;
  readonly heuristics: boolean;
}

/** Runs `toolgate scan`. */
export async function run(argv: readonly string[], io: ScanIo): Promise<number> {
  const parsed = parseCommandLine('scan', argv, scanOptions, io, []);
  if (parsed === undefined) return 2;
  const [command, ...words] = parsed.positionals;
  if (command === 'explain') return explain(words, parsed.values.json === true, io);
  const isDiff = command === 'diff';
  const options = toOptions(parsed.values, isDiff ? words : parsed.positionals);
  const problem = typeof options === 'string' ? options : isDiff ? diffProblem(options) : undefined;
  if (typeof options === 'string' || problem !== undefined) return usageError('scan', problem ?? '', io);
  const unknown = options.rules && (await unknownRule(options.rules));
  if (unknown !== undefined) return usageError('scan', unknown, io);
  const { sources, isInstalled, headers, ...wanted } = options;
  const baseline = await readBaseline(options.baseline);
  if (typeof baseline === 'string') return failure('scan', baseline, io, 2);
  // All targets get the headers; only URLs use them.
  const targets = sources.map((source): WantedTarget => ({ name: source, source, headers }));
  if (isDiff) return runScan(targets, { verb: 'diff', ...wanted, format: diffFormat(wanted.format), baseline }, io);
  const installed = isInstalled ? await findInstalled(io) : [];
  if (targets.length + installed.length === 0) {
    io.out(
      wanted.format === 'json'
        ? `${JSON.stringify({ targets: [] })}\n`
        : 'No MCP server is configured in the assistants on this machine.\n',
    );
    return 0;
  }
  return runScan([...targets, ...installed], { verb: 'scan', ...wanted, baseline }, io);
}

/** Differences have no SARIF or Markdown form. */
const diffFormat = (format: Options['format']): 'text' | 'json' => (format === 'json' ? 'json' : 'text');

/** Why the arguments do not name two versions. */
function diffProblem({ sources, isInstalled, format }: Options): string | undefined {
  if (sources.length !== 2 || isInstalled) return 'expected two versions of a server: toolgate scan diff <old> <new>';
  return format === 'text' || format === 'json' ? undefined : 'a difference has the formats text and json';
}

/** Servers of the assistants on this machine; a configuration file that cannot be read is an incomplete target. */
async function findInstalled(io: ScanIo): Promise<readonly WantedTarget[]> {
  const env = io.env ?? process.env;
  const home = env['HOME'] ?? homedir();
  const places = { home, project: process.cwd(), platform: process.platform, env };
  const { servers, problems } = await installedServers(places);
  return [...servers, ...problems.map((gap) => ({ name: 'configuration', gap }))];
}

// Loaded on demand: the scan itself loads the rules in its worker thread.
async function unknownRule(wanted: readonly string[]): Promise<string | undefined> {
  const { rules } = await import('../../scanner/index.js');
  const ids = rules.map(({ id }) => id);
  const unknown = wanted.find((each) => !ids.includes(each));
  return unknown === undefined
    ? undefined
    : `unknown rule ${JSON.stringify(unknown)}${didYouMean(unknown, ids)}; toolgate scan explain lists all rules`;
}

/** Prints the page of a rule; without a name, the list of all. */
async function explain([id, ...more]: readonly string[], asJson: boolean, io: ScanIo): Promise<number> {
  const { explainRule, rules } = await import('../../scanner/index.js');
  if (more.length > 0) return usageError('scan', 'explain takes one rule', io);
  const name = id?.toUpperCase();
  const listed = rules.filter((rule) => name === undefined || rule.id === name);
  if (name !== undefined && listed.length === 0) return usageError('scan', (await unknownRule([name])) ?? '', io);
  const page = name === undefined ? undefined : explainRule(name);
  if (asJson)
    io.out(`${JSON.stringify({ rules: listed.map(({ id: rule, title }) => ({ rule, title })), page }, null, 2)}\n`);
  else io.out(page ?? rules.map((rule) => `${rule.id.padEnd(22)} ${rule.title}\n`).join(''));
  return 0;
}

/** Options of this verb. */
const scanOptions = {
  format: { type: 'string', default: 'text' },
  'fail-on': { type: 'string', default: 'high' },
  baseline: { type: 'string' },
  rules: { type: 'string' },
  'no-heuristics': { type: 'boolean', default: false },
  installed: { type: 'boolean', default: false },
  header: { type: 'string', multiple: true, default: [] as string[] },
} as const;

/** Checked options, or the problem with them. */
function toOptions(
  values: NonNullable<ReturnType<typeof parseCommandLine<typeof scanOptions>>>['values'],
  positionals: readonly string[],
): Options | string {
  if (positionals.length === 0 && !values.installed) return 'expected a folder, file, package or URL, or --installed';
  const format = values.json === true ? 'json' : scanFormats.find((each) => each === values.format);
  const headers = parseHeaders(values.header);
  if (headers === undefined) return "expected --header 'Name: value'";
  const failOn = failOnSeverities.find((each) => each === values['fail-on']);
  const wanted = values.rules?.split(',').map((each) => each.trim().toUpperCase());
  if (format === undefined)
    return `unknown format ${JSON.stringify(values.format)}${didYouMean(values.format, scanFormats)}; use ${scanFormats.join(', ')}`;
  if (failOn === undefined)
    return `unknown severity ${JSON.stringify(values['fail-on'])}${didYouMean(values['fail-on'], failOnSeverities)}; use ${failOnSeverities.join(', ')}`;
  return {
    sources: positionals,
    isInstalled: values.installed,
    headers,
    format,
    failOn,
    baseline: values.baseline,
    rules: wanted,
    heuristics: !values['no-heuristics'],
  };
}

/** Headers of a request; undefined if one is malformed. */
function parseHeaders(given: readonly string[]): Readonly<Record<string, string>> | undefined {
  // Printable characters only: a line break would add a header.
  const pairs = given.map((each) => /^([\w-]+):\s*([\x20-\x7e]+)$/.exec(each));
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map((pair) => [String(pair?.[1]).toLowerCase(), String(pair?.[2])]))
    : undefined;
}

/** Reads the fingerprints of an earlier report, or returns an error message. */
async function readBaseline(path: string | undefined): Promise<ReadonlySet<string> | string | undefined> {
  if (path === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(await readFile(path, 'utf8'));
    const findings =
      typeof data === 'object' && data !== null && 'findings' in data && Array.isArray(data.findings)
        ? data.findings
        : undefined;
    if (!findings) return `the baseline ${JSON.stringify(path)} is not a report written with --format json`;
    return new Set(
      findings.flatMap((each: unknown) =>
        typeof each === 'object' && each !== null && 'fingerprint' in each && typeof each.fingerprint === 'string'
          ? [each.fingerprint]
          : [],
      ),
    );
  } catch (error) {
    return `cannot read the baseline ${JSON.stringify(path)}: ${describeSystemError(error, 'not valid JSON')}`;
  }
}
