import { mergeCoverage, type ToolCoverage } from '../coverage.js';
import type { Skipped } from '../project/walk.js';
import type { Gap, ReportFinding, ToolCapabilities } from '../report.js';
import { findingKey, sortFindings } from '../report.js';
import {
  noRegistrationReason,
  type ReportSdk,
  type ReportTool,
  type SurfaceReport,
  type Transport,
} from '../surface/report.js';
import type { PartResult } from './messages.js';
import { findShadowsAcrossParts } from './cross-part-shadowing.js';

/** The result of one part, with its files. */
export interface ScannedPart {
  readonly paths: readonly string[];
  readonly result: PartResult;
}

/** Totals and gaps of the whole tree. */
interface TreeTotals {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: readonly Skipped[];
  /** Files that could not be scanned, or not with all their imports. */
  readonly gaps: readonly Gap[];
}

/** The report of a whole tree, before the verdict. */
export interface MergedReport {
  readonly surface: SurfaceReport;
  readonly findings: readonly ReportFinding[];
  readonly gaps: readonly Gap[];
  readonly capabilities: readonly ToolCapabilities[];
  readonly coverage: readonly ToolCoverage[];
}

/** Merges the results of all parts in order; deduplicates, because parts may share files. */
export function mergeParts(parts: readonly ScannedPart[], whole: TreeTotals): MergedReport {
  const answers = parts.map(({ result }) => result);
  const surfaces = answers.map(({ surface }) => surface);
  const skipped = unique([
    ...whole.skipped.map(({ path, reason }) => ({ file: path, reason })),
    ...surfaces.flatMap((each) => each.skipped),
    ...whole.gaps,
  ]);
  const tools = unique(surfaces.flatMap((each) => each.tools)).filter(isUncalledInAllParts(parts));
  const shownKeys = new Set(tools.map(toolKey));
  const optionalTools = unique(surfaces.flatMap((each) => each.optionalTools)).filter(
    (tool) => !shownKeys.has(toolKey(tool)),
  );
  const resources = unique(surfaces.flatMap((each) => each.resources));
  const prompts = unique(surfaces.flatMap((each) => each.prompts));
  const unresolved = unique(surfaces.flatMap((each) => each.unresolved));
  const isEmpty = tools.length + optionalTools.length + resources.length + prompts.length + unresolved.length === 0;
  const [first] = parts.flatMap(({ paths }) => paths).sort();
  const emptySurface =
    isEmpty && first !== undefined
      ? [{ kind: 'any' as const, reason: noRegistrationReason, location: { file: first, start_line: 1 } }]
      : [];
  return {
    surface: {
      tools,
      optionalTools,
      resources,
      prompts,
      transports: transports.filter((each) => surfaces.some((surface) => surface.transports.includes(each))),
      authSignals: unique(surfaces.flatMap((each) => each.authSignals)),
      sdks: mergeSdks(surfaces),
      unresolved: [...unresolved, ...emptySurface],
      skipped,
      files: whole.files,
      bytes: whole.bytes,
    },
    findings: sortFindings(
      uniqueBy(
        [
          ...answers.flatMap(({ findings }) => findings),
          ...findShadowsAcrossParts(
            parts.map(({ paths, result }) => ({ paths, comparableTools: result.comparableTools })),
          ),
        ],
        findingKey,
      ),
    ),
    gaps: unique([...skipped, ...answers.flatMap(({ gaps }) => gaps)]),
    capabilities: unique(answers.flatMap(({ capabilities }) => capabilities)),
    coverage: mergeCoverage(answers.map(({ coverage }) => coverage)),
  };
}

const transports: readonly Transport[] = ['stdio', 'http', 'websocket'];

/** Identifies a tool across parts: a shared file is scanned with every program that imports it. */
const toolKey = ({ name, location, confidence }: ReportTool): string =>
  `${name} ${location.file}:${location.start_line} ${confidence ?? ''}`;

/** A heuristic tool counts only if no part contains a call of the function. */
function isUncalledInAllParts(parts: readonly ScannedPart[]): (tool: ReportTool) => boolean {
  const holders = new Map<string, number>();
  for (const { paths } of parts) for (const path of paths) holders.set(path, (holders.get(path) ?? 0) + 1);
  const reportCount = new Map<string, number>();
  for (const { result: answer } of parts)
    for (const tool of answer.surface.tools) reportCount.set(toolKey(tool), (reportCount.get(toolKey(tool)) ?? 0) + 1);
  return (tool) =>
    tool.confidence !== 'heuristic' || reportCount.get(toolKey(tool)) === (holders.get(tool.location.file) ?? 1);
}

function mergeSdks(surfaces: readonly SurfaceReport[]): readonly ReportSdk[] {
  const found = new Map<ReportSdk['sdk'], ReportSdk>();
  for (const sdk of surfaces.flatMap((each) => each.sdks)) {
    const packages = [...new Set([...(found.get(sdk.sdk)?.packages ?? []), ...sdk.packages])].sort();
    found.set(sdk.sdk, { ...sdk, packages });
  }
  return [...found.values()].sort((one, other) => (one.sdk < other.sdk ? -1 : 1));
}

function uniqueBy<T>(all: readonly T[], keyOf: (each: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const each of all) if (!found.has(keyOf(each))) found.set(keyOf(each), each);
  return [...found.values()];
}

const unique = <T>(all: readonly T[]): readonly T[] => uniqueBy(all, (each) => JSON.stringify(each));
