import { flagsLayer, settingsHelp } from '../../config/layers.js';
import { lints, type Finding } from '../../config/lints/index.js';
import { loadConfig, type LoadedConfig } from '../../config/load.js';
import { noteLine, problemLine } from '../../config/problem.js';
import { sourceFindings } from '../check/source-findings.js';
import { manifestFindings } from '../check/manifest-findings.js';
import { ruleFindings } from '../check/rule-findings.js';
import { parseCommandLine, unexpectedArgument } from '../command-line.js';
import type { Io } from '../io.js';

export const help = `Usage: toolgate check [--config FILE] [--json]

Loads the configuration as serve does, lists every problem with its line, and warns about risky settings. Rules are compiled and
checked against the tools they name, except tools of upstream servers: nothing is started or fetched.

Settings, by option and environment variable:
${settingsHelp()}
`;

/** Checks a configuration and prints problems and findings. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('check', flagsLayer(argv).rest, {}, io);
  if (parsed === undefined) return 2;
  const extra = unexpectedArgument('check', parsed.positionals, io);
  if (extra !== undefined) return extra;
  const asJson = parsed.values.json === true;
  const loaded = await loadConfig({ argv, env: io.env });
  if (!loaded.ok) {
    const { problems, unusable, file = 'defaults' } = loaded;
    const reportedPaths = problems.map(({ path }) => path);
    // Skips findings that a problem already covers; all others belong in the same run.
    const further =
      unusable === undefined
        ? []
        : runLints(unusable).filter(
            ({ path }) => !reportedPaths.some((reported) => path === reported || path.startsWith(`${reported}.`)),
          );
    if (asJson) io.out(`${JSON.stringify({ ok: false, problems, notes: unusable?.notes ?? [], findings: further })}\n`);
    else
      io.err(
        `${[...problems.map(problemLine), ...further.map((finding) => findingLine(finding, file))].join('\n')}\n${pluralOf(problems.length, 'problem')}${further.length === 0 ? '' : `, ${pluralOf(further.length, 'finding')}`}\n`,
      );
    return 1;
  }
  const findings = [
    ...runLints(loaded),
    ...withPositions(
      [
        ...(await sourceFindings(loaded.config, loaded.base)),
        ...(await manifestFindings(loaded.config, loaded.base)),
        ...(await ruleFindings(loaded.config, loaded.base, io.env)),
      ],
      loaded,
    ),
  ];
  const ok = !findings.some(({ severity }) => severity === 'error');
  if (asJson)
    io.out(
      `${JSON.stringify({ ok, ...(loaded.file !== undefined && { file: loaded.file }), problems: [], notes: loaded.notes, findings })}\n`,
    );
  else io.out(report(loaded, findings, ok));
  return ok ? 0 : 1;
}

/** A finding with its place in the file. */
type PlacedFinding = Finding & { readonly line?: number; readonly column?: number };

/** Lints that need the configuration alone. */
const runLints = ({ config, place }: Pick<LoadedConfig, 'config' | 'place'>): readonly PlacedFinding[] =>
  withPositions(
    lints.flatMap((lint) => lint(config)),
    { place },
  );

/** Findings with the position of their key. */
const withPositions = (
  findings: readonly Finding[],
  { place }: Pick<LoadedConfig, 'place'>,
): readonly PlacedFinding[] => findings.map((finding) => ({ ...finding, ...place(finding.path) }));

/** A finding in one line, as compilers print them. */
const findingLine = (finding: PlacedFinding, file: string): string =>
  `${finding.severity}: ${problemLine({ ...finding, file })} [${finding.rule}]`;

/** The report for people. */
function report(loaded: LoadedConfig, findings: readonly PlacedFinding[], ok: boolean): string {
  const file = loaded.file ?? 'defaults';
  const lines = [
    ...loaded.notes.map((note) => `note: ${noteLine(note)}`),
    ...findings.map((finding) => findingLine(finding, file)),
    ok
      ? `ok: ${loaded.file ?? 'no configuration file; defaults, environment and command line'}`
      : `not ok: ${pluralOf(findings.length, 'finding')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A number with its noun. */
const pluralOf = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;
