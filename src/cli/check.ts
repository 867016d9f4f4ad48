import { settingsHelp } from '../config/layers.js';
import { lints, type Finding } from '../config/lints/index.js';
import { load, type Good } from '../config/load.js';
import { noteLine, problemLine } from '../config/problem.js';
import { openApiFindings } from '../serve/openapi-findings.js';
import { ruleFindings } from '../serve/rule-findings.js';
import type { Io } from './io.js';

/** One line for the list of verbs. */
export const summary = 'look at the configuration without starting anything';

export const help = `Usage: toolgate check [--config FILE] [--json]

Reads the configuration as serve would, lists every problem with its place, and points at what is risky. Rules are compiled and
the tools and arguments they name are looked up; those of upstream servers are not, since nothing is started or fetched.
Exit code 0: it may be used; 1: it has a problem or a finding of severity error; 2: the command line is wrong.

Settings, by flag and by variable:
${settingsHelp()}
`;

/** Checks a configuration and prints what it found; resolves to the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    io.out(help);
    return 0;
  }
  const asJson = argv.includes('--json');
  const loaded = await load({ argv: argv.filter((word) => word !== '--json'), env: io.env });
  if (!loaded.ok) {
    const { problems, unusable, file = 'defaults' } = loaded;
    const said = new Set(problems.map(({ path }) => path));
    // What a problem says already is not said again; the rest an operator should hear in the same run.
    const further =
      unusable === undefined
        ? []
        : linted(unusable).filter(
            ({ path }) => ![...said].some((each) => path === each || path.startsWith(`${each}.`)),
          );
    if (asJson) io.out(`${JSON.stringify({ ok: false, problems, notes: unusable?.notes ?? [], findings: further })}\n`);
    else
      io.err(
        `${[...problems.map(problemLine), ...further.map((finding) => findingLine(finding, file))].join('\n')}\n${count(problems.length, 'problem')}${further.length === 0 ? '' : `, ${count(further.length, 'finding')}`}\n`,
      );
    return 1;
  }
  if (loaded.rest.length > 0) {
    io.err(`check does not know ${JSON.stringify(loaded.rest[0])}; see toolgate check --help\n`);
    return 2;
  }
  const findings = [
    ...linted(loaded),
    ...placed(
      [
        ...(await openApiFindings(loaded.config, loaded.base)),
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

type Placed = Finding & { readonly line?: number; readonly column?: number };

const linted = ({ config, place }: Pick<Good, 'config' | 'place'>): readonly Placed[] =>
  placed(
    lints.flatMap((lint) => lint(config)),
    { place },
  );

const placed = (findings: readonly Finding[], { place }: Pick<Good, 'place'>): readonly Placed[] =>
  findings.map((finding) => ({ ...finding, ...place(finding.path) }));

const findingLine = (finding: Placed, file: string): string =>
  `${finding.severity}: ${problemLine({ ...finding, file })} [${finding.rule}]`;

function report(loaded: Good, findings: readonly Placed[], ok: boolean): string {
  const file = loaded.file ?? 'defaults';
  const lines = [
    ...loaded.notes.map((note) => `note: ${noteLine(note)}`),
    ...findings.map((finding) => findingLine(finding, file)),
    ok
      ? `ok: ${loaded.file ?? 'no file; defaults, environment and command line'}`
      : `not ok: ${count(findings.length, 'finding')}`,
  ];
  return `${lines.join('\n')}\n`;
}

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;
