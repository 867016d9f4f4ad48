import { sha256 } from '../lib/hash.js';
import type { Gap, ReportFinding } from './report.js';
import { poisoning } from './rules/surface/poisoning.js';
import type { Severity } from './rules/rule.js';
import type { ReportLocation, SurfaceReport } from './surface/report.js';

/** A text that a model reads, with what it describes. */
export interface DescribedItem {
  readonly kind: 'tool' | 'prompt' | 'resource';
  readonly name: string;
  readonly description: string;
  readonly location: ReportLocation;
}

/** What a classifier found in a text. */
export interface ClassifierVerdict {
  readonly why: string;
  /** `high` by default. */
  readonly severity?: Severity;
}

/** Judges one description; undefined if it is harmless. */
export type Classifier = (
  item: DescribedItem,
) => ClassifierVerdict | undefined | Promise<ClassifierVerdict | undefined>;

/** Asks a classifier about every description; its verdicts are findings, and a failure is a gap: unknown is not safe. */
export async function classify(
  surface: SurfaceReport,
  classifier: Classifier,
): Promise<{ readonly findings: readonly ReportFinding[]; readonly gaps: readonly Gap[] }> {
  const findings: ReportFinding[] = [];
  const gaps: Gap[] = [];
  // One after the other: a classifier may be a model with a rate limit.
  for (const item of describedItems(surface)) {
    const { kind, name, location } = item;
    try {
      const verdict = await classifier(item);
      if (verdict) findings.push(toFinding(item, verdict));
    } catch {
      gaps.push({ file: location.file, reason: `the classifier failed for the ${kind} ${name}`, group: 'classifier' });
    }
  }
  return { findings, gaps };
}

/** Every text that a model would read. */
const describedItems = ({ tools, optionalTools, prompts, resources }: SurfaceReport): readonly DescribedItem[] => {
  const toItem =
    (kind: DescribedItem['kind']) =>
    ({ name, description, location }: Omit<DescribedItem, 'kind'>): DescribedItem => ({
      kind,
      name,
      description,
      location,
    });
  return [
    ...[...tools, ...optionalTools].map(toItem('tool')),
    ...prompts.map(toItem('prompt')),
    ...resources.map(toItem('resource')),
  ].filter(({ description }) => description !== '');
};

/** Kinds as a finding names them. */
const contextNames = { tool: 'Tool', prompt: 'Prompt', resource: 'Resource' } as const;

/** Finding of a classifier, under the rule about poisoned descriptions. */
function toFinding({ kind, name, description, location }: DescribedItem, verdict: ClassifierVerdict): ReportFinding {
  const { file, start_line: startLine, end_line: endLine = startLine } = location;
  return {
    rule: poisoning.id,
    kind: 'bug',
    severity: verdict.severity ?? 'high',
    // Cut: the classifier may be a model, and its reason may be long.
    message: `The classifier flags the text of the ${kind} ${name}: ${verdict.why.slice(0, 500)}`,
    location: { file, startLine, startColumn: 1, endLine, endColumn: 1 },
    ...(kind === 'tool' && { tool: name }),
    snippet: description.slice(0, 1_000),
    context: `${contextNames[kind]}: ${name}`,
    fingerprint: sha256(['classifier', file, kind, name, description].join('\n')).slice(0, 32),
  };
}
