import { parseArgs } from 'node:util';
import { formatSurfaceJson, formatSurfaceText, scanSurface } from '../scanner/index.js';

const help = `Usage: toolgate surface <folder or file> [--format text|json] [--no-heuristics]

Reads what an MCP server offers (tools, resources, prompts, transports, sign-in) from its source. Nothing is run.

  --format text|json   how to print it (text)
  --no-heuristics      leave out functions that only look like tools by their name

Exit codes: 0 read whole, 1 something is unresolved or was not read, 2 could not be done.
`;

/** `toolgate surface`: prints the surface of the server under a path. */
export async function run(argv: readonly string[]): Promise<number> {
  const options = parsed(argv);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${help}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  let report;
  try {
    report = await scanSurface(options.path, { heuristics: options.heuristics });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    process.stderr.write(`Cannot read ${options.path}: ${String(error.code)}\n`);
    return 2;
  }
  process.stdout.write(options.format === 'json' ? formatSurfaceJson(report) : formatSurfaceText(report));
  return report.unresolved.length > 0 || report.skipped.length > 0 ? 1 : 0;
}

interface Options {
  readonly path: string;
  readonly format: 'text' | 'json';
  readonly heuristics: boolean;
  readonly help: boolean;
}

function parsed(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv], allowPositionals: true,
      options: { format: { type: 'string', default: 'text' }, 'no-heuristics': { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    });
    const { format } = values;
    const [path, ...more] = positionals;
    if (format !== 'text' && format !== 'json') return `There is no format ${format}`;
    if (!values.help && (path === undefined || more.length > 0)) return 'Name one folder or file';
    return { path: path ?? '', format, heuristics: !values['no-heuristics'], help: values.help };
  } catch (error) {
    return error instanceof Error ? error.message : 'Bad arguments';
  }
}
