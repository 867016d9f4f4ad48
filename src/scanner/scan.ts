import type { Machine } from './evaluate/machine.js';
import { canonicalJson } from '../lib/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { defaultLimits, loadWalked, noCode, type Project, type ProjectLimits } from './project/load.js';
import { findingKey, inOrder, isOpen, type Gap, type ReportFinding, type ScanReport } from './report.js';
import type { Merged } from './parts/merge.js';
import type { MarkedTool } from './parts/shadows.js';
import { isLarge, scanTree, type LargeTrees } from './parts/scan-tree.js';
import { walkFiles, type Walked } from './project/walk.js';
import { capabilitiesOf } from './capabilities.js';
import { rules } from './rules/index.js';
import type { ToldTool } from './rules/look-alikes.js';
import { severities, type Finding, type Rule, type Scanned, type Severity } from './rules/rule.js';
import { shadowing, toldIn } from './rules/shadowing.js';
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
  /** How a large tree is read. */
  readonly large?: Partial<LargeTrees>;
}

/** Reads a server's source under a folder or file and reports what is wrong with it; nothing of it is run. */
export async function scan(root: string, options: ScanOptions = {}): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  options.onProgress?.('reading');
  return scanWalked(await walkFiles(root, limits), options);
}

/** The same for files that were listed already. */
export async function scanWalked(walked: Walked, options: ScanOptions = {}): Promise<ScanReport> {
  const limits = { ...defaultLimits, ...options.limits };
  const texts = readTexts(walked);
  if (!isLarge(walked, options.large)) return scanProject(await loadWalked(walked, limits), texts, options);
  const { heuristics = true, rules: wanted, onProgress, large } = options;
  const made = await scanTree(walked, { limits, heuristics, rules: wanted, surfaceOnly: false, onProgress, large });
  const beside = scanProject(noCode, texts, wanted ? { rules: wanted } : {});
  return concluded({ ...made, findings: inOrder([...made.findings, ...beside.findings]) }, options);
}

/** The same for a project that was loaded already. */
export const scanProject = (
  project: Project,
  texts: ReadonlyMap<string, string>,
  options: ScanOptions = {},
): ScanReport => concluded(judgedProject(project, texts, options), options);

/** What was found in a project, before anybody says what it is worth. */
export function judgedProject(
  project: Project,
  texts: ReadonlyMap<string, string>,
  options: ScanOptions = {},
): Merged & { readonly told: readonly MarkedTool[] } {
  options.onProgress?.('finding tools');
  const { report: surface, run } = examine(project, {
    ...(options.heuristics === undefined ? {} : { heuristics: options.heuristics }),
    ...(options.limits ? { limits: options.limits } : {}),
  });
  const registered = [run.findings, run.unreached];
  const { timeoutMs, maxTools } = { ...defaultLimits, ...options.limits };
  const deadline = Date.now() + timeoutMs;
  const unfinished: Gap[] = unfinishedIn(run.machine);
  const entries = entriesOf(run.machine, registered).flatMap((entry, at) => {
    if (at % 20 === 0) options.onProgress?.(`following tool ${at + 1}`);
    const result = at >= maxTools || Date.now() > deadline ? undefined : flowsOf(run.machine, entry);
    if (!result?.isFinished)
      unfinished.push({
        file: entry.handler.module.path,
        reason: `the code of ${entry.name} was not followed to its end`,
      });
    return result ? [{ entry, result }] : [];
  });
  // A server whose tools are known and their code is not was looked at from outside only.
  const [unfollowed] = entries.length > 0 ? [] : surface.tools.filter(({ confidence }) => confidence !== 'heuristic');
  if (unfollowed && unfinished.length === 0)
    unfinished.push({ file: unfollowed.location.file, reason: 'the code that answers the tools was not found' });
  options.onProgress?.('judging');
  const scanned: Scanned = { project, surface, machine: run.machine, registered, entries, texts };
  const findings = finished(project, judged(scanned, options.rules));
  const skipped = project.skipped.map(({ path, reason }) => ({ file: path, reason }));
  return {
    findings,
    gaps: [...skipped, ...unfinished],
    surface: { ...surface, skipped },
    capabilities: capabilitiesOf(entries),
    // Only a part is compared with others.
    told:
      project.part && isWanted(shadowing, options.rules) ? toldIn(scanned).map((tool) => marked(project, tool)) : [],
  };
}

/** What was not run to its end may register more, and its tools were not followed. */
function unfinishedIn({ unfinished, exhausted }: Machine): Gap[] {
  const modules = [...unfinished].map((file) => ({ file, reason: 'it nests deeper than can be followed' }));
  return exhausted === undefined
    ? modules
    : [...modules, { file: '.', reason: `the analysis ended early: ${exhausted}` }];
}

/** A tool of a part as it would be reported if it passed for a tool of another part. */
function marked(project: Project, tool: ToldTool): MarkedTool {
  const { location, name } = tool;
  const suppressed = suppressionAt(project.modules.get(location.file), location.startLine, shadowing.id);
  const fingerprint = fingerprintOf(project, { rule: shadowing.id, location, tool: name });
  return { ...tool, fingerprint, ...(suppressed === undefined ? {} : { suppressed }) };
}

const isWanted = ({ id }: Rule, wanted: readonly string[] | undefined): boolean => wanted?.includes(id) ?? true;

/** What the wanted rules find. */
function judged(scanned: Scanned, wanted: readonly string[] | undefined): readonly Finding[] {
  return rules.filter((rule) => isWanted(rule, wanted)).flatMap((rule) => rule.find(scanned));
}

/** The report with its verdict. */
function concluded(made: Merged, { failOn = 'high', baseline }: ScanOptions): ScanReport {
  const { surface, gaps, capabilities } = made;
  const findings = made.findings.map((each) => ({
    ...each,
    ...(baseline?.has(each.fingerprint) ? { known: true } : {}),
  }));
  const bar = severities.indexOf(failOn);
  const isOver = findings.some((each) => isOpen(each) && severities.indexOf(each.severity) <= bar);
  const verdict = isOver ? 'findings' : gaps.length > 0 ? 'incomplete' : 'clean';
  return {
    verdict,
    findings,
    gaps,
    surface,
    counts: countOf(findings),
    surfaceHash: surfaceHash(surface),
    capabilities,
  };
}

function countOf(findings: readonly ReportFinding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0, note: 0 };
  for (const finding of findings) if (isOpen(finding)) counts[finding.severity] += 1;
  return counts;
}

/** Puts findings in a fixed order, once each, with their marks. */
function finished(project: Project, findings: readonly Finding[]): readonly ReportFinding[] {
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
  return inOrder([...found.values()]);
}

/** The text of the line counts, not its number: a finding keeps its mark when code above it changes. */
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
