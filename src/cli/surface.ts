import { parseArgs } from 'node:util';
import { formatSurfaceJson, formatSurfaceText, scanSurface } from '../scanner/index.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate surface <folder or file> [--format text|json] [--no-heuristics] [--strict]

Reads what an MCP server offers (tools, resources, prompts, transports, signs of authentication) from its source. Nothing is run.

  --format text|json   how to print it; text unless said otherwise
  --no-heuristics      leave out functions that only look like tools by their name
  --strict             exit with 1 when anything could not be told or read
`;

/** Prints what the server under a path offers. */
export async function run(argv: readonly string[], io: Pick<Io, 'out' | 'err'>): Promise<number> {
  const options = parsed(argv);
  if (typeof options === 'string') {
    io.err(`toolgate: ${options}\n\n${help}`);
    return 2;
  }
  try {
    const report = await scanSurface(options.path, { heuristics: options.heuristics });
    io.out(options.format === 'json' ? formatSurfaceJson(report) : formatSurfaceText(report));
    return options.strict && report.unresolved.length + report.skipped.length > 0 ? 1 : 0;
  } catch (error) {
    // Only what the file system says is the caller's to know; anything else is a bug and must be seen as one.
    if (!(error instanceof Error) || !('code' in error)) throw error;
    io.err(`toolgate: cannot read ${JSON.stringify(options.path)}: ${String(error.code)}\n`);
    return 1;
  }
}

interface Options {
  readonly path: string;
  readonly format: 'text' | 'json';
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
    const { format } = values;
    const [path, ...more] = positionals;
    if (format !== 'text' && format !== 'json') return `there is no format ${JSON.stringify(format)}`;
    if (path === undefined || more.length > 0) return 'name one folder or file';
    return { path, format, heuristics: !values['no-heuristics'], strict: values.strict };
  } catch (error) {
    return error instanceof Error ? error.message : 'bad arguments';
  }
}
