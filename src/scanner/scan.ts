import type { Machine } from './evaluate/interpreter/abstract-machine.js';
import { classify, type Classifier } from './classifier.js';
import { suggestedFindings } from './suggested-findings.js';
import { coverageGaps, coverageOf, emptyTreeGaps, type AnalysedEntry } from './coverage.js';
import { canonicalJson } from '../lib/json/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { defaultLimits, loadFiles, emptyProject, type Project, type ProjectLimits } from './project/load.js';
import { findingKey, sortFindings, isOpen, type Gap, type ReportFinding, type ScanReport } from './report.js';
import { withDependencies, type FetchPackage } from './dependencies/rings.js';
import type { MergedReport } from './parts/merge.js';
import type { MarkedTool } from './parts/cross-part-shadowing.js';
import { isLarge, scanTree, type LargeTreeLimits } from './parts/scan-tree.js';
import { walkFiles, type WalkedFiles } from './project/walk.js';
import { capabilitiesOf } from './capabilities.js';
import { rules } from './rules/index.js';
import type { ComparableTool } from './rules/surface/tool-resemblance.js';
import { severities, type Finding, type Rule, type RuleContext, type Severity } from './rules/rule.js';
import { shadowing, comparableToolsOf } from './rules/surface/shadowing.js';
import { analyseSurface } from './surface/scan.js';
import type { SurfaceReport } from './surface/report.js';
import { suppressionAt } from './suppressions.js';
import { entriesOf } from './taint/sources/entries.js';
import { flowsOf, type EntryResult } from './taint/run.js';
import type { ToolEntry } from './taint/sources/sources.js';
import { programsOf } from './programs.js';
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
  /** Read dependencies that may hold tools, if the server itself does not show all: installed ones, or also fetched ones. */
  readonly dependencies?: 'installed' | FetchPackage;
  /** Judges every description, beside the rules; none by default. */
  readonly classifier?: Classifier;
  /** When and how a large tree is split into parts. */
  readonly large?: Partial<LargeTreeLimits>;
}

/** Scans the source of a server in a folder or file; never executes it. */
export async function scan(root: string, options: ScanOptions = {}): Promise<ScanReport> {
  const report = await scanRoot(root, options);
  if (options.classifier === undefined) return report;
  options.onProgress?.('classifying descriptions');
  const { findings, gaps } = await classify(report.surface, options.classifier);
  // Verdict and counts are computed again, since the classifier may have added findings.
  return reportOf(
    { ...report, findings: sortFindings([...report.findings, ...findings]), gaps: [...report.gaps, ...gaps] },
    options,
  );
}

/** Scans the tree, then once more with dependencies if tools are missing. */
async function scanRoot(root: string, options: ScanOptions): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  const started = Date.now();
  options.onProgress?.('reading');
  const walked = await walkFiles(root, limits);
  const report = await scanFiles(walked, options);
  // Dependencies are read only if they can add something: a covered server needs none.
  if (options.dependencies === undefined || isCovered(report) || isLarge(walked, options.large)) return report;
  options.onProgress?.('reading dependencies');
  const fetch = options.dependencies === 'installed' ? undefined : options.dependencies;
  const wider = await withDependencies(walked, fetch);
  // A second scan takes longer than the first: without time for it, the first report stands, with its gaps.
  const timeoutMs = limits.timeoutMs - (Date.now() - started);
  if (!wider || isLarge(wider, options.large) || timeoutMs < limits.timeoutMs * shareForDependencies) return report;
  const second = await scanFiles(wider, { ...options, limits: { ...options.limits, timeoutMs } });
  // More code can also exhaust a budget; the better of both results counts.
  return certainTools(second) >= certainTools(report) ? second : report;
}

/** Part of the time that must be left for a second scan with dependencies. */
const shareForDependencies = 0.6;
/** Parts of the time of a scan after which reading, finding tools and following them end; rules need the rest. */
const shareOf = { reading: 0.4, tools: 0.65, flows: 0.9 };

/** Number of tools that are certain. */
const certainTools = ({ surface }: ScanReport): number =>
  [...surface.tools, ...surface.optionalTools].filter(({ confidence }) => confidence !== 'heuristic').length;

/** Whether all tools were found and followed, so that dependencies add nothing but library code. */
const isCovered = (report: ScanReport): boolean =>
  certainTools(report) > 0 && report.surface.unresolved.length + report.gaps.length === 0;

/** Scans files that are already listed. */
export async function scanFiles(walked: WalkedFiles, options: ScanOptions = {}): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  const texts = readTextFiles(walked);
  if (!isLarge(walked, options.large)) {
    const started = Date.now();
    const project = await loadFiles(walked, { ...limits, timeoutMs: limits.timeoutMs * shareOf.reading });
    const timeoutMs = limits.timeoutMs - (Date.now() - started);
    return scanProject(project, texts, { ...options, limits: { ...options.limits, timeoutMs } }, walked.files);
  }
  const { heuristics = true, rules: wanted, onProgress, large } = options;
  const made = await scanTree(walked, { limits, heuristics, rules: wanted, surfaceOnly: false, onProgress, large });
  // Texts beside the code are examined once, not once per part.
  const beside = scanProject(emptyProject, texts, wanted ? { rules: wanted } : {});
  return toReport({ ...made, findings: sortFindings([...made.findings, ...beside.findings]) }, options, walked.files);
}

/** The report of a target without source: never `clean`, with the reason as its only gap. */
export const scanNothing = (reason: string, options: ScanOptions = {}): ScanReport =>
  reportOf(
    { ...analyseProject(emptyProject, new Map(), { ...options, rules: [] }), gaps: [{ file: '.', reason }] },
    options,
  );

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
  const { timeoutMs, maxTools } = { ...defaultLimits, ...options.limits };
  const started = Date.now();
  // A deadline for all tools together, so that a server with hundreds ends as well.
  const deadline = started + timeoutMs * shareOf.flows;
  options.onProgress?.('finding tools');
  const {
    report: surface,
    run,
    suggested,
  } = analyseSurface(project, {
    ...(options.heuristics === undefined ? {} : { heuristics: options.heuristics }),
    limits: { ...options.limits, timeoutMs: timeoutMs * shareOf.tools },
  });
  const registered = [run.discoveries, run.unreached];
  const unfinished: Gap[] = unfinishedGaps(run.machine);
  const all: readonly AnalysedEntry[] = entriesOf(run.machine, registered).map((entry, at) => {
    if (at % 20 === 0) options.onProgress?.(`following tool ${at + 1}`);
    const result = at >= maxTools || Date.now() > deadline ? undefined : flowsOf(run.machine, entry, deadline);
    // An unfinished tool is a gap: unknown is not safe.
    if (!result?.isFinished)
      unfinished.push({
        file: entry.handler.module.path,
        reason: `the code of ${entry.name} was not analysed completely`,
      });
    return { entry, result };
  });
  const entries = all.flatMap(({ entry, result }) => (result ? [{ entry, result }] : []));
  // What a dispatcher does for any tool is not evidence about this one.
  const coverage = coverageOf(surface, all, dispatcherBaselines(run.machine, entries, deadline));
  options.onProgress?.('applying rules');
  const scanned: RuleContext = {
    project,
    surface,
    machine: run.machine,
    registered,
    entries,
    programs: programsOf(run.machine, started + timeoutMs),
    texts,
    deadline: started + timeoutMs,
  };
  if (Date.now() > scanned.deadline)
    unfinished.push({ file: '.', reason: 'what the program does when it is started was not analysed completely' });
  const certain = runRules(scanned, options.rules);
  const guessed = suggestedFindings(scanned, suggested, (id) => options.rules?.includes(id) ?? true);
  // A guess about the same sink as a certain finding would only repeat it.
  const findings = toReportFindings(project, [...certain, ...guessed.filter((each) => !hasSink(certain, each))]);
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

/** Whether a finding of a registered tool already reports this sink. */
const hasSink = (findings: readonly Finding[], { rule, location: { file, startLine } }: Finding): boolean =>
  findings.some((each) => each.rule === rule && each.location.file === file && each.location.startLine === startLine);

/** What each dispatcher reaches for a tool that does not exist, by its function. */
function dispatcherBaselines(
  machine: Machine,
  entries: readonly { readonly entry: ToolEntry }[],
  deadline: number,
): ReadonlyMap<unknown, EntryResult> {
  const baselines = new Map<unknown, EntryResult>();
  const dispatched = entries.filter(({ entry }) => entry.kind === 'tool' && entry.isDispatcher);
  const isOnly = new Set(dispatched.map(({ entry }) => entry.name)).size === 1;
  for (const { entry } of dispatched) {
    if (baselines.has(entry.handler.fn) || Date.now() > deadline) continue;
    // A server with one tool may ignore its name, but not the method.
    const other = isOnly && entry.isByHand ? { method: unknownToolName } : { name: unknownToolName };
    baselines.set(entry.handler.fn, flowsOf(machine, { ...entry, ...other }, deadline));
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

/** Whether a rule is among the wanted ones; all are by default. */
const isSelected = ({ id }: Rule, wanted: readonly string[] | undefined): boolean => wanted?.includes(id) ?? true;

/** Runs the selected rules. */
function runRules(scanned: RuleContext, wanted: readonly string[] | undefined): readonly Finding[] {
  return rules.filter((rule) => isSelected(rule, wanted)).flatMap((rule) => rule.find(scanned));
}

/** A report of a tree: gaps of its coverage are added. */
function toReport(made: MergedReport, options: ScanOptions, files: readonly string[] = []): ScanReport {
  const { surface, coverage } = made;
  const gaps = [...made.gaps, ...coverageGaps(surface, coverage), ...emptyTreeGaps(surface, files)];
  return reportOf({ ...made, gaps }, options);
}

/** Applies the baseline and the threshold, and adds the verdict. */
export function reportOf(made: MergedReport, options: ScanOptions): ScanReport {
  const { failOn = 'high', baseline } = options;
  const { surface, capabilities, coverage, gaps } = made;
  const findings = made.findings.map((each) => ({
    ...each,
    ...(baseline?.has(each.fingerprint) ? { known: true } : {}),
  }));
  const bar = severities.indexOf(failOn);
  // Severities are sorted from worst to least.
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

/** Open findings by severity. */
function countBySeverity(findings: readonly ReportFinding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, note: 0 };
  for (const finding of findings) if (isOpen(finding)) counts[finding.severity] += 1;
  return counts;
}

/** Deduplicates and sorts findings, and adds fingerprints and suppressions. */
export function toReportFindings(project: Project, findings: readonly Finding[]): readonly ReportFinding[] {
  const found = new Map<string, ReportFinding>();
  for (const finding of findings) {
    // The same sink may be reached on several paths; one finding represents it.
    const key = findingKey(finding);
    if (found.has(key)) continue;
    const suppressed = suppressionAt(
      project.modules.get(finding.location.file),
      finding.location.startLine,
      finding.rule,
    );
    found.set(key, {
      ...finding,
      ...excerptOf(project, finding),
      fingerprint: fingerprintOf(project, finding),
      ...(suppressed === undefined ? {} : { suppressed }),
    });
  }
  return sortFindings([...found.values()]);
}

/** Rules whose evidence is itself a secret: a report is copied into tickets and logs. */
const isSecretRule = (rule: string): boolean => rule.startsWith('TG-SECRET');
/** Characters of the code shown with a finding. */
const maxSnippet = 400;

/** The code at a finding, and what it belongs to; a rule may give its own. */
function excerptOf(
  project: Project,
  { rule, location, tool, snippet, context }: Finding,
): Pick<Finding, 'snippet' | 'context'> {
  const line = isSecretRule(rule) ? '' : lineAt(project, location).trim().slice(0, maxSnippet);
  const shown = snippet ?? (line === '' ? undefined : line);
  const owner = context ?? (tool === undefined ? undefined : `Tool: ${tool}`);
  return { ...(shown !== undefined && { snippet: shown }), ...(owner !== undefined && { context: owner }) };
}

/** The first line of a location; empty if its file is not code. */
function lineAt(project: Project, { file, startLine }: Finding['location']): string {
  const module = project.modules.get(file);
  const start = module?.lineStarts[startLine - 1] ?? 0;
  return module?.text.slice(start, start + maxSnippet).split('\n')[0] ?? '';
}

/** Fingerprints use the text of the line, not its number, so they survive changes above it. */
function fingerprintOf(
  project: Project,
  { rule, location, tool, param }: Pick<Finding, 'rule' | 'location' | 'tool' | 'param'>,
): string {
  const line = lineAt(project, location).replace(/\s+/g, ' ').trim();
  return sha256([rule, location.file, tool ?? '', param ?? '', line].join('\n')).slice(0, 32);
}

/** Hashes the names, descriptions and input schemas of the surface. */
export function surfaceHash(surface: SurfaceReport): string {
  // Guessed tools are left out: the hash pins what the server offers.
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
