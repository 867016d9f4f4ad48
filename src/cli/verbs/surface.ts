import { didYouMean, parseCommandLine, usageError } from '../command-line.js';
import { surfaceFormats } from '../scan/job.js';
import { runScan, type ScanIo } from '../scan/run.js';

export const help = `Usage: toolgate surface <folder | file | package.tgz | npm:name@version | pypi:name==version> [options]

Lists what an MCP server offers (tools, resources, prompts, transports, signs of authentication) by analysing its source. Nothing is executed.

  --format text|json   output format; text by default
  --json               the same as --format json
  --no-heuristics      omit functions that only look like tools by name
  --strict             exit with 1 if anything could not be determined or read
`;

/** Options of this verb. */
const surfaceOptions = {
  format: { type: 'string', default: 'text' },
  'no-heuristics': { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
} as const;

/** Runs `toolgate surface`. */
export async function run(argv: readonly string[], io: ScanIo): Promise<number> {
  const parsed = parseCommandLine('surface', argv, surfaceOptions, io, []);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const format = values.json === true ? 'json' : surfaceFormats.find((each) => each === values.format);
  const [source, ...more] = positionals;
  if (format === undefined)
    return usageError(
      'surface',
      `unknown format ${JSON.stringify(values.format)}${didYouMean(values.format, surfaceFormats)}; use ${surfaceFormats.join(', ')}`,
      io,
    );
  if (source === undefined || more.length > 0)
    return usageError('surface', 'expected exactly one folder, file or package', io);
  return runScan(
    [{ name: source, source }],
    { verb: 'surface', format, heuristics: !values['no-heuristics'], strict: values.strict },
    io,
  );
}
