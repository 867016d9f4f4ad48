import { settingsHelp } from '../config/layers.js';
import { lints, type Finding } from '../config/lints/index.js';
import { loadConfig, type LoadedConfig } from '../config/load.js';
import { noteLine, problemLine } from '../config/problem.js';
import { sourceFindings } from './check/source-findings.js';
import { ruleFindings } from './check/rule-findings.js';
import { didYouMean, settingFlags, usageError } from './command-line.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate check [--config FILE] [--json]

Loads the configuration as serve does, lists every problem with its line, and warns about risky settings. Rules are compiled and
checked against the tools they name, except tools of upstream servers: nothing is started or fetched.

Exit codes: 0 valid, 1 a problem or a finding of severity error, 2 wrong use.

Settings, by option and environment variable:
${settingsHelp()}
`;

/** Checks a configuration and prints problems and findings. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.out(help);
    return 0;
  }
  const asJson = argv.includes('--json');
  const loaded = await loadConfig({ argv: argv.filter((word) => word !== '--json'), env: io.env });
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
  if (loaded.rest.length > 0) {
    const [word = ''] = loaded.rest;
    return usageError(
      'check',
      word.startsWith('-')
        ? `unknown option ${word}${didYouMean(word, ['--json', ...settingFlags])}`
        : `unexpected argument ${JSON.stringify(word)}`,
      io,
    );
  }
  const findings = [
    ...runLints(loaded),
    ...withPositions(
      [
        ...(await sourceFindings(loaded.config, loaded.base)),
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

type PlacedFinding = Finding & { readonly line?: number; readonly column?: number };

const runLints = ({ config, place }: Pick<LoadedConfig, 'config' | 'place'>): readonly PlacedFinding[] =>
  withPositions(
    lints.flatMap((lint) => lint(config)),
    { place },
  );

const withPositions = (
  findings: readonly Finding[],
  { place }: Pick<LoadedConfig, 'place'>,
): readonly PlacedFinding[] => findings.map((finding) => ({ ...finding, ...place(finding.path) }));

const findingLine = (finding: PlacedFinding, file: string): string =>
  `${finding.severity}: ${problemLine({ ...finding, file })} [${finding.rule}]`;

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

const pluralOf = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;
