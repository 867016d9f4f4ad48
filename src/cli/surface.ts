import { parseArgs } from 'node:util';
import { describeArgumentError } from './scan-arguments.js';
import { surfaceFormats } from './scan-job.js';
import { runScan, type ScanIo } from './scan-run.js';

export const help = `Usage: toolgate surface <folder | file | package.tgz | npm:name@version | pypi:name==version> [options]

Lists what an MCP server offers (tools, resources, prompts, transports, signs of authentication) by analysing its source. Nothing is executed.

  --format text|json   output format; text by default
  --no-heuristics      omit functions that only look like tools by name
  --strict             exit with 1 if anything could not be determined or read

Exit codes: 0 success, 1 something could not be determined (with --strict), 2 failure or wrong arguments.
`;

/** Runs `toolgate surface`. */
export async function run(argv: readonly string[], io: ScanIo): Promise<number> {
  const options = parseSurfaceArgs(argv);
  if (typeof options === 'string') {
    io.err(`toolgate: ${options}\n\n${help}`);
    return 2;
  }
  const { source, ...wanted } = options;
  return runScan(source, { verb: 'surface', ...wanted }, io);
}

interface Options {
  readonly source: string;
  readonly format: (typeof surfaceFormats)[number];
  readonly heuristics: boolean;
  readonly strict: boolean;
}

function parseSurfaceArgs(argv: readonly string[]): Options | string {
  const options = {
    format: { type: 'string', default: 'text' },
    'no-heuristics': { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
    const format = surfaceFormats.find((each) => each === values.format);
    const [source, ...more] = positionals;
    if (format === undefined)
      return `unknown format ${JSON.stringify(values.format)}; use ${surfaceFormats.join(', ')}`;
    if (source === undefined || more.length > 0) return 'expected exactly one folder, file or package';
    return { source, format, heuristics: !values['no-heuristics'], strict: values.strict };
  } catch (error) {
    return describeArgumentError(error, Object.keys(options));
  }
}
