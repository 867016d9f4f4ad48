import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { loadProject, defaultLimits, type Project, type ProjectLimits } from './project/load.js';
import { isOpen, type Gap, type ReportFinding, type ScanReport } from './report.js';
import { capabilitiesOf } from './capabilities.js';
import { rules } from './rules/index.js';
import { severities, type Finding, type Scanned, type Severity } from './rules/rule.js';
import { examine } from './surface/scan.js';
import type { SurfaceReport } from './surface/report.js';
import { suppressionAt } from './suppressions.js';
import { entriesOf } from './taint/entries.js';
import { flowsOf } from './taint/run.js';
import { readTexts } from './texts.js';

export interface ScanOptions {
  readonly limits?: Partial<ProjectLimits>;
  /** Count functions that only look like tools by name; on unless false. */
  readonly heuristics?: boolean;
  /** Only these rules, by id; all where absent. */
  readonly rules?: readonly string[];
  /** Findings at or above this make the verdict `findings`. */
  readonly failOn?: Severity;
  /** Fingerprints that are known and do not count. */
  readonly baseline?: ReadonlySet<string>;
  /** Told what is being done now, for a progress line. */
  readonly onProgress?: (doing: string) => void;
}

/** Reads a server's source under a folder or file and reports what is wrong with it; nothing of it is run. */
export async function scan(root: string, options: ScanOptions = {}): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  options.onProgress?.('reading');
  const project = await loadProject(root, limits);
  return scanProject(project, await readTexts(root, limits), options);
}

/** The same for a project that was loaded already. */
export function scanProject(
  project: Project,
  texts: ReadonlyMap<string, string>,
  options: ScanOptions = {},
): ScanReport {
  options.onProgress?.('finding tools');
  const { report: surface, run } = examine(project, {
    ...(options.heuristics === undefined ? {} : { heuristics: options.heuristics }),
    ...(options.limits ? { limits: options.limits } : {}),
  });
  const registered = [run.findings, run.unreached];
  const deadline = Date.now() + (options.limits?.timeoutMs ?? defaultLimits.timeoutMs);
  const unfinished: Gap[] = [];
  const entries = entriesOf(run.machine, registered).flatMap((entry, at) => {
    if (at % 20 === 0) options.onProgress?.(`following tool ${at + 1}`);
    const result = Date.now() > deadline ? undefined : flowsOf(run.machine, entry);
    if (!result?.isFinished)
      unfinished.push({
        file: entry.handler.module.path,
        reason: `the code of ${entry.name} was not followed to its end`,
      });
    return result ? [{ entry, result }] : [];
  });
  options.onProgress?.('judging');
  const scanned: Scanned = { project, surface, machine: run.machine, registered, entries, texts };
  const wanted = options.rules ? rules.filter((rule) => options.rules?.includes(rule.id)) : rules;
  const findings = finished(
    project,
    wanted.flatMap((rule) => rule.find(scanned)),
    options.baseline,
  );
  const skipped = project.skipped.map(({ path, reason }) => ({ file: path, reason }));
  const gaps: Gap[] = [...skipped, ...unfinished];
  const counts = countOf(findings);
  const bar = severities.indexOf(options.failOn ?? 'high');
  const isOver = findings.some((each) => counts && isOpen(each) && severities.indexOf(each.severity) <= bar);
  return {
    verdict: isOver ? 'findings' : gaps.length > 0 ? 'incomplete' : 'clean',
    findings,
    gaps,
    surface: { ...surface, skipped },
    counts,
    surfaceHash: surfaceHash(surface),
    capabilities: capabilitiesOf(entries),
  };
}

function countOf(findings: readonly ReportFinding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, note: 0 };
  for (const finding of findings) if (isOpen(finding)) counts[finding.severity] += 1;
  return counts;
}

/** Puts findings in a fixed order, once each, with their marks. */
function finished(
  project: Project,
  findings: readonly Finding[],
  baseline: ReadonlySet<string> | undefined,
): readonly ReportFinding[] {
  const found = new Map<string, ReportFinding>();
  for (const finding of findings) {
    const { file, startLine } = finding.location;
    const key = [
      finding.rule,
      file,
      startLine,
      finding.tool ?? '',
      finding.param ?? '',
      finding.param === undefined ? finding.message : '',
    ].join('\n');
    if (found.has(key)) continue;
    const fingerprint = fingerprintOf(project, finding);
    const suppressed = suppressionAt(project.modules.get(file), startLine, finding.rule);
    found.set(key, {
      ...finding,
      fingerprint,
      ...(suppressed === undefined ? {} : { suppressed }),
      ...(baseline?.has(fingerprint) ? { known: true } : {}),
    });
  }
  return [...found.values()].sort(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      (one.location.file === other.location.file
        ? one.location.startLine - other.location.startLine
        : one.location.file < other.location.file
          ? -1
          : 1) ||
      (one.rule === other.rule ? 0 : one.rule < other.rule ? -1 : 1) ||
      ((one.tool ?? '') < (other.tool ?? '') ? -1 : 1),
  );
}

/** The text of the line counts, not its number: a finding keeps its mark when code above it changes. */
function fingerprintOf(project: Project, { rule, location, tool, param }: Finding): string {
  const module = project.modules.get(location.file);
  const start = module?.lineStarts[location.startLine - 1] ?? 0;
  const line =
    module?.text
      .slice(start, start + 400)
      .split('\n')[0]
      ?.replace(/\s+/g, ' ')
      .trim() ?? '';
  return sha256([rule, location.file, tool ?? '', param ?? '', line].join('\n')).slice(0, 32);
}

/** The hash of names, texts and inputs of everything that is offered. */
export function surfaceHash(surface: SurfaceReport): string {
  const offered = [...surface.tools, ...surface.optionalTools]
    .filter((tool) => tool.confidence !== 'heuristic')
    .map(({ name, description, schema }) => ({ name, description, schema: schema ?? {} }));
  const sorted = offered.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  return sha256(
    canonicalJson({
      tools: sorted,
      prompts: surface.prompts.map(({ name, description }) => ({ name, description })),
      resources: surface.resources.map(({ uri, description }) => ({ uri, description })),
    }),
  );
}
