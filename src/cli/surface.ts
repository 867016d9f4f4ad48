import { parseArgs } from 'node:util';
import { surfaceFormats } from './scan-job.js';
import { runScan, type ScanIo } from './scan-run.js';

export const help = `Usage: toolgate surface <folder | file | package.tgz | npm:name@version | pypi:name==version> [options]

Reads what an MCP server offers (tools, resources, prompts, transports, signs of authentication) from its source. Nothing of it is run.

  --format text|json   how to print it; text unless said otherwise
  --no-heuristics      leave out functions that only look like tools by their name
  --strict             exit with 1 when anything could not be told or read

Exit codes: 0 done, 1 something could not be told and --strict was given, 2 could not finish or was called wrongly.
`;

/** Prints what the server under a path offers. */
export async function run(argv: readonly string[], io: ScanIo): Promise<number> {
  const options = parsed(argv);
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

function parsed(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        format: { type: 'string', default: 'text' },
        'no-heuristics': { type: 'boolean', default: false },
        strict: { type: 'boolean', default: false },
      },
    });
    const format = surfaceFormats.find((each) => each === values.format);
    const [source, ...more] = positionals;
    if (format === undefined) return `there is no format ${JSON.stringify(values.format)}`;
    if (source === undefined || more.length > 0) return 'name one folder, file or package';
    return { source, format, heuristics: !values['no-heuristics'], strict: values.strict };
  } catch (error) {
    return error instanceof Error ? error.message : 'bad arguments';
  }
}
