import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Severity } from '../scanner/rules/rule.js';
import { scanFormats } from './scan-job.js';
import { runScan, type ScanIo } from './scan-run.js';

export const help = `Usage: toolgate scan <folder | file | package.tgz | npm:name@version | pypi:name==version> [options]
       toolgate scan explain <rule>

Reads the source of an MCP server and reports what is wrong with it. Nothing of it is run; packages are downloaded without their scripts.

  --format text|json|sarif|markdown   how to print it; text unless said otherwise
  --fail-on critical|high|medium|low  the exit code is 1 from this severity on; high unless said otherwise
  --baseline file                     findings in this file (of --format json) are known and do not count
  --rules id,id                       only these rules
  --no-heuristics                     leave out functions that only look like tools by their name

Exit codes: 0 clean, 1 findings at or above the threshold, 2 could not finish or was called wrongly.
`;

const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

interface Options {
  readonly source: string;
  readonly format: (typeof scanFormats)[number];
  readonly failOn: Severity;
  readonly baseline: string | undefined;
  readonly rules: readonly string[] | undefined;
  readonly heuristics: boolean;
}

/** Scans a server and prints what was found. */
export async function run(argv: readonly string[], io: ScanIo): Promise<number> {
  if (argv[0] === 'explain') return explain(argv[1], io);
  const options = parsed(argv);
  if (typeof options === 'string') {
    io.err(`toolgate: ${options}\n\n${help}`);
    return 2;
  }
  const unknown = options.rules && (await unknownRule(options.rules));
  if (unknown !== undefined) {
    io.err(`toolgate: there is no rule ${JSON.stringify(unknown)}; toolgate scan explain lists them\n`);
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

// Loaded only where names must be checked: the scan itself loads them in its thread.
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
    `toolgate: there is no rule ${JSON.stringify(id ?? '')}; these are known:\n${rules.map((rule) => `  ${rule.id.padEnd(22)} ${rule.title}`).join('\n')}\n`,
  );
  return 2;
}

function parsed(argv: readonly string[]): Options | string {
  let given;
  try {
    given = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        format: { type: 'string', default: 'text' },
        'fail-on': { type: 'string', default: 'high' },
        baseline: { type: 'string' },
        rules: { type: 'string' },
        'no-heuristics': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return error instanceof Error ? error.message : 'bad arguments';
  }
  const { values, positionals } = given;
  const [source, ...more] = positionals;
  if (source === undefined || more.length > 0) return 'name one folder, file or package';
  const format = scanFormats.find((each) => each === values.format);
  const failOn = severities.find((each) => each === values['fail-on']);
  const wanted = values.rules?.split(',').map((each) => each.trim().toUpperCase());
  if (format === undefined) return `there is no format ${JSON.stringify(values.format)}`;
  if (failOn === undefined) return `there is no severity ${JSON.stringify(values['fail-on'])}`;
  return { source, format, failOn, baseline: values.baseline, rules: wanted, heuristics: !values['no-heuristics'] };
}

/** The fingerprints of an earlier report, or why they cannot be had. */
async function readBaseline(path: string | undefined): Promise<ReadonlySet<string> | string | undefined> {
  if (path === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(await readFile(path, 'utf8'));
    const findings =
      typeof data === 'object' && data !== null && 'findings' in data && Array.isArray(data.findings)
        ? data.findings
        : undefined;
    if (!findings) return `the baseline ${JSON.stringify(path)} is no report of --format json`;
    return new Set(
      findings.flatMap((each: unknown) =>
        typeof each === 'object' && each !== null && 'fingerprint' in each && typeof each.fingerprint === 'string'
          ? [each.fingerprint]
          : [],
      ),
    );
  } catch (error) {
    return `cannot read the baseline ${JSON.stringify(path)}: ${error instanceof Error ? error.message : 'unreadable'}`;
  }
}
