import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Severity } from '../scanner/rules/rule.js';
import { describeSystemError } from '../lib/system-error.js';
import { describeArgumentError } from './scan-arguments.js';
import { scanFormats } from './scan-job.js';
import { runScan, type ScanIo } from './scan-run.js';

export const help = `Usage: toolgate scan <folder | file | package.tgz | npm:name@version | pypi:name==version> [options]
       toolgate scan explain <rule>

Scans the source of an MCP server for vulnerabilities. Nothing is executed; packages are downloaded without running their scripts.

  --format text|json|sarif|markdown   output format; text by default
  --fail-on critical|high|medium|low  exit with 1 from this severity on; high by default
  --baseline file                     known findings, which do not count: a report in --format json
  --rules id,id                       run only these rules
  --no-heuristics                     omit functions that only look like tools by name

Exit codes: 0 clean, 1 findings at or above the threshold, 2 incomplete scan or wrong arguments.
`;

const failOnSeverities: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

interface Options {
  readonly source: string;
  readonly format: (typeof scanFormats)[number];
  readonly failOn: Severity;
  readonly baseline: string | undefined;
  readonly rules: readonly string[] | undefined;
  readonly heuristics: boolean;
}

/** Runs `toolgate scan`. */
export async function run(argv: readonly string[], io: ScanIo): Promise<number> {
  if (argv[0] === 'explain') return explain(argv[1], io);
  const options = parseScanArgs(argv);
  if (typeof options === 'string') {
    io.err(`toolgate: ${options}\n\n${help}`);
    return 2;
  }
  const unknown = options.rules && (await unknownRule(options.rules));
  if (unknown !== undefined) {
    io.err(`toolgate: unknown rule ${JSON.stringify(unknown)}; toolgate scan explain lists all rules\n`);
    return 2;
  }
  const { source, ...wanted } = options;
  const baseline = await readBaseline(options.baseline);
  if (typeof baseline === 'string') {
    io.err(`toolgate: ${baseline}\n`);
    return 2;
  }
  return runScan(source, { verb: 'scan', ...wanted, baseline }, io);
}

// Loaded on demand: the scan itself loads the rules in its worker thread.
async function unknownRule(wanted: readonly string[]): Promise<string | undefined> {
  const { rules } = await import('../scanner/index.js');
  return wanted.find((each) => !rules.some((rule) => rule.id === each));
}

async function explain(id: string | undefined, io: ScanIo): Promise<number> {
  const { explainRule, rules } = await import('../scanner/index.js');
  const page = id === undefined ? undefined : explainRule(id.toUpperCase());
  if (page !== undefined) {
    io.out(page);
    return 0;
  }
  io.err(
    `toolgate: ${id === undefined ? 'name a rule' : `unknown rule ${JSON.stringify(id)}`}; the rules are:\n${rules.map((rule) => `  ${rule.id.padEnd(22)} ${rule.title}`).join('\n')}\n`,
  );
  return 2;
}

function parseScanArgs(argv: readonly string[]): Options | string {
  const options = {
    format: { type: 'string', default: 'text' },
    'fail-on': { type: 'string', default: 'high' },
    baseline: { type: 'string' },
    rules: { type: 'string' },
    'no-heuristics': { type: 'boolean', default: false },
  } as const;
  let given;
  try {
    given = parseArgs({ args: [...argv], allowPositionals: true, options });
  } catch (error) {
    return describeArgumentError(error, Object.keys(options));
  }
  const { values, positionals } = given;
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0) return 'expected exactly one folder, file or package';
  const format = scanFormats.find((each) => each === values.format);
  const failOn = failOnSeverities.find((each) => each === values['fail-on']);
  const wanted = values.rules?.split(',').map((each) => each.trim().toUpperCase());
  if (format === undefined) return `unknown format ${JSON.stringify(values.format)}; use ${scanFormats.join(', ')}`;
  if (failOn === undefined)
    return `unknown severity ${JSON.stringify(values['fail-on'])}; use ${failOnSeverities.join(', ')}`;
  return { source, format, failOn, baseline: values.baseline, rules: wanted, heuristics: !values['no-heuristics'] };
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
