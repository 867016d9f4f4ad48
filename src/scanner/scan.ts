import type { Machine } from './evaluate/interpreter/abstract-machine.js';
import { coverageGaps, coverageOf, emptyTreeGaps, type AnalysedEntry } from './coverage.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { defaultLimits, loadFiles, emptyProject, type Project, type ProjectLimits } from './project/load.js';
import { findingKey, sortFindings, isOpen, type Gap, type ReportFinding, type ScanReport } from './report.js';
import type { MergedReport } from './parts/merge.js';
import type { MarkedTool } from './parts/cross-part-shadowing.js';
import { isLarge, scanTree, type LargeTreeLimits } from './parts/scan-tree.js';
import { walkFiles, type WalkedFiles } from './project/walk.js';
import { capabilitiesOf } from './capabilities.js';
import { rules } from './rules/index.js';
import type { ComparableTool } from './rules/tool-resemblance.js';
import { severities, type Finding, type Rule, type RuleContext, type Severity } from './rules/rule.js';
import { shadowing, comparableToolsOf } from './rules/shadowing.js';
import { analyseSurface } from './surface/scan.js';
import type { SurfaceReport } from './surface/report.js';
import { suppressionAt } from './suppressions.js';
import { entriesOf } from './taint/sources/entries.js';
import { flowsOf, type EntryResult } from './taint/run.js';
import type { ToolEntry } from './taint/sources/sources.js';
import { readTextFiles } from './text-files.js';

/** Options of a scan. */
export interface ScanOptions {
  readonly limits?: Partial<ProjectLimits>;
  /** Report functions that only look like tools by name; on by default. */
  readonly heuristics?: boolean;
  /** Ids of the rules to run; all by default. */
  readonly rules?: readonly string[];
  /** Findings at or above this make the verdict `findings`. */
  readonly failOn?: Severity;
  /** Fingerprints of known findings, which do not count. */
  readonly baseline?: ReadonlySet<string>;
  /** Receives the current phase, for a progress line. */
  readonly onProgress?: (doing: string) => void;
  /** When and how a large tree is split into parts. */
  readonly large?: Partial<LargeTreeLimits>;
}

/** Scans the source of a server in a folder or file; never executes it. */
export async function scan(root: string, options: ScanOptions = {}): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  options.onProgress?.('reading');
  return scanFiles(await walkFiles(root, limits), options);
}

/** Scans files that are already listed. */
export async function scanFiles(walked: WalkedFiles, options: ScanOptions = {}): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  const texts = readTextFiles(walked);
  if (!isLarge(walked, options.large))
    return scanProject(await loadFiles(walked, limits), texts, options, walked.files);
  const { heuristics = true, rules: wanted, onProgress, large } = options;
  const made = await scanTree(walked, { limits, heuristics, rules: wanted, surfaceOnly: false, onProgress, large });
  const beside = scanProject(emptyProject, texts, wanted ? { rules: wanted } : {});
  return toReport({ ...made, findings: sortFindings([...made.findings, ...beside.findings]) }, options, walked.files);
}

/** Scans a project that is already loaded. */
export const scanProject = (
  project: Project,
  texts: ReadonlyMap<string, string>,
  options: ScanOptions = {},
  files: readonly string[] = [...project.modules.keys()],
): ScanReport => toReport(analyseProject(project, texts, options), options, files);

/** Runs all analyses on a project; the verdict is added later, when the parts of a large tree are merged. */
export function analyseProject(
  project: Project,
  texts: ReadonlyMap<string, string>,
  options: ScanOptions = {},
): MergedReport & { readonly comparableTools: readonly MarkedTool[] } {
  options.onProgress?.('finding tools');
  const { report: surface, run } = analyseSurface(project, {
    ...(options.heuristics === undefined ? {} : { heuristics: options.heuristics }),
    ...(options.limits ? { limits: options.limits } : {}),
  });
  const registered = [run.discoveries, run.unreached];
  const { timeoutMs, maxTools } = { ...defaultLimits, ...options.limits };
  const deadline = Date.now() + timeoutMs;
  const unfinished: Gap[] = unfinishedGaps(run.machine);
  const all: readonly AnalysedEntry[] = entriesOf(run.machine, registered).map((entry, at) => {
    if (at % 20 === 0) options.onProgress?.(`following tool ${at + 1}`);
    const result = at >= maxTools || Date.now() > deadline ? undefined : flowsOf(run.machine, entry);
    if (!result?.isFinished)
      unfinished.push({
        file: entry.handler.module.path,
        reason: `the code of ${entry.name} was not analysed completely`,
      });
    return { entry, result };
  });
  const entries = all.flatMap(({ entry, result }) => (result ? [{ entry, result }] : []));
  const coverage = coverageOf(surface, all, dispatcherBaselines(run.machine, entries));
  options.onProgress?.('applying rules');
  const scanned: RuleContext = { project, surface, machine: run.machine, registered, entries, texts };
  const findings = toReportFindings(project, runRules(scanned, options.rules));
  const skipped = project.skipped.map(({ path, reason }) => ({ file: path, reason }));
  return {
    findings,
    gaps: [...skipped, ...unfinished],
    coverage,
    surface: { ...surface, skipped },
    capabilities: capabilitiesOf(entries),
    // Only the parts of a large tree are compared with each other.
    comparableTools:
      project.part && isSelected(shadowing, options.rules)
        ? comparableToolsOf(scanned).map((tool) => toMarkedTool(project, tool))
        : [],
  };
}

/** What each dispatcher reaches for a tool that does not exist, by its function. */
function dispatcherBaselines(
  machine: Machine,
  entries: readonly { readonly entry: ToolEntry }[],
): ReadonlyMap<unknown, EntryResult> {
  const baselines = new Map<unknown, EntryResult>();
  for (const { entry } of entries) {
    if (entry.kind !== 'tool' || !entry.isDispatcher || baselines.has(entry.handler.fn)) continue;
    baselines.set(entry.handler.fn, flowsOf(machine, { ...entry, name: unknownToolName }));
  }
  return baselines;
}

/** A name that no dispatcher compares with. */
const unknownToolName = 'toolgate-no-such-tool';

/** Gaps for modules that were not evaluated completely, since they may register more tools. */
function unfinishedGaps({ unfinished, exhausted }: Machine): Gap[] {
  const modules = [...unfinished].map((file) => ({ file, reason: 'nested too deeply to analyse' }));
  return exhausted === undefined
    ? modules
    : [...modules, { file: '.', reason: `the analysis ended early: ${exhausted}` }];
}

/** A tool with the fingerprint and suppression that a shadowing finding about it would have. */
function toMarkedTool(project: Project, tool: ComparableTool): MarkedTool {
  const { location, name } = tool;
  const suppressed = suppressionAt(project.modules.get(location.file), location.startLine, shadowing.id);
  const fingerprint = fingerprintOf(project, { rule: shadowing.id, location, tool: name });
  return { ...tool, fingerprint, ...(suppressed === undefined ? {} : { suppressed }) };
}

const isSelected = ({ id }: Rule, wanted: readonly string[] | undefined): boolean => wanted?.includes(id) ?? true;

/** Runs the selected rules. */
function runRules(scanned: RuleContext, wanted: readonly string[] | undefined): readonly Finding[] {
  return rules.filter((rule) => isSelected(rule, wanted)).flatMap((rule) => rule.find(scanned));
}

/** Applies the baseline and the threshold, and adds the verdict. */
function toReport(made: MergedReport, options: ScanOptions, files: readonly string[] = []): ScanReport {
  const { failOn = 'high', baseline } = options;
  const { surface, capabilities, coverage } = made;
  const gaps = [...made.gaps, ...coverageGaps(surface, coverage), ...emptyTreeGaps(surface, files)];
  const findings = made.findings.map((each) => ({
    ...each,
    ...(baseline?.has(each.fingerprint) ? { known: true } : {}),
  }));
  const bar = severities.indexOf(failOn);
  const isOver = findings.some((each) => isOpen(each) && severities.indexOf(each.severity) <= bar);
  // Unresolved registrations may be tools of any kind: unknown is not safe.
  const isWhole = gaps.length + surface.unresolved.length === 0;
  const verdict = isOver ? 'findings' : isWhole ? 'clean' : 'incomplete';
  return {
    verdict,
    findings,
    gaps,
    surface,
    counts: countBySeverity(findings),
    surfaceHash: surfaceHash(surface),
    capabilities,
    coverage,
  };
}

function countBySeverity(findings: readonly ReportFinding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, note: 0 };
  for (const finding of findings) if (isOpen(finding)) counts[finding.severity] += 1;
  return counts;
}

/** Deduplicates and sorts findings, and adds fingerprints and suppressions. */
function toReportFindings(project: Project, findings: readonly Finding[]): readonly ReportFinding[] {
  const found = new Map<string, ReportFinding>();
  for (const finding of findings) {
    const key = findingKey(finding);
    if (found.has(key)) continue;
    const suppressed = suppressionAt(
      project.modules.get(finding.location.file),
      finding.location.startLine,
      finding.rule,
    );
    found.set(key, {
      ...finding,
      fingerprint: fingerprintOf(project, finding),
      ...(suppressed === undefined ? {} : { suppressed }),
    });
  }
  return sortFindings([...found.values()]);
}

/** Fingerprints use the text of the line, not its number, so they survive changes above it. */
function fingerprintOf(
  project: Project,
  { rule, location, tool, param }: Pick<Finding, 'rule' | 'location' | 'tool' | 'param'>,
): string {
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

/** Hashes the names, descriptions and input schemas of the surface. */
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
