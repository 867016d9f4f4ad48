import type { Skipped } from '../project/walk.js';
import type { Gap, ReportFinding, ToolCapabilities } from '../report.js';
import { findingKey, inOrder } from '../report.js';
import {
  noRegistration,
  type ReportSdk,
  type ReportTool,
  type SurfaceReport,
  type Transport,
} from '../surface/report.js';
import type { PartAnswer } from './order.js';
import { shadowsAcross } from './shadows.js';

/** A part that was read, and which files it held. */
export interface ReadPart {
  readonly paths: readonly string[];
  readonly answer: PartAnswer;
}

/** What is said of the tree as a whole. */
export interface Whole {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: readonly Skipped[];
  /** What could not be read, or not with all that belongs to it. */
  readonly gaps: readonly Gap[];
}

export interface Merged {
  readonly surface: SurfaceReport;
  readonly findings: readonly ReportFinding[];
  readonly gaps: readonly Gap[];
  readonly capabilities: readonly ToolCapabilities[];
}

/** One report of many: in the order of the parts, each thing once, also where parts share files. */
export function merged(parts: readonly ReadPart[], whole: Whole): Merged {
  const answers = parts.map(({ answer }) => answer);
  const surfaces = answers.map(({ surface }) => surface);
  const skipped = once([
    ...whole.skipped.map(({ path, reason }) => ({ file: path, reason })),
    ...surfaces.flatMap((each) => each.skipped),
    ...whole.gaps,
  ]);
  const tools = once(surfaces.flatMap((each) => each.tools)).filter(isAgreed(parts));
  const shown = new Set(tools.map(keyOf));
  const optionalTools = once(surfaces.flatMap((each) => each.optionalTools)).filter((tool) => !shown.has(keyOf(tool)));
  const resources = once(surfaces.flatMap((each) => each.resources));
  const prompts = once(surfaces.flatMap((each) => each.prompts));
  const unresolved = once(surfaces.flatMap((each) => each.unresolved));
  const isSilent = tools.length + optionalTools.length + resources.length + prompts.length + unresolved.length === 0;
  const [first] = parts.flatMap(({ paths }) => paths).sort();
  const nothing =
    isSilent && first !== undefined
      ? [{ kind: 'any' as const, reason: noRegistration, location: { file: first, start_line: 1 } }]
      : [];
  return {
    surface: {
      tools,
      optionalTools,
      resources,
      prompts,
      transports: transports.filter((each) => surfaces.some((surface) => surface.transports.includes(each))),
      authSignals: once(surfaces.flatMap((each) => each.authSignals)),
      sdks: sdksOf(surfaces),
      unresolved: [...unresolved, ...nothing],
      skipped,
      files: whole.files,
      bytes: whole.bytes,
    },
    findings: inOrder(
      firstOf(
        [
          ...answers.flatMap(({ findings }) => findings),
          ...shadowsAcross(parts.map(({ paths, answer }) => ({ paths, told: answer.told }))),
        ],
        findingKey,
      ),
    ),
    gaps: once([...skipped, ...answers.flatMap(({ gaps }) => gaps)]),
    capabilities: once(answers.flatMap(({ capabilities }) => capabilities)),
  };
}

const transports: readonly Transport[] = ['stdio', 'http', 'websocket'];

/** A shared file is read with each program that imports it: the same tool may be seen several times. */
const keyOf = ({ name, location, confidence }: ReportTool): string =>
  `${name} ${location.file}:${location.start_line} ${confidence ?? ''}`;

/** A function is a tool by its name only where no part has seen anybody call it. */
function isAgreed(parts: readonly ReadPart[]): (tool: ReportTool) => boolean {
  const holders = new Map<string, number>();
  for (const { paths } of parts) for (const path of paths) holders.set(path, (holders.get(path) ?? 0) + 1);
  const said = new Map<string, number>();
  for (const { answer } of parts)
    for (const tool of answer.surface.tools) said.set(keyOf(tool), (said.get(keyOf(tool)) ?? 0) + 1);
  return (tool) => tool.confidence !== 'heuristic' || said.get(keyOf(tool)) === (holders.get(tool.location.file) ?? 1);
}

function sdksOf(surfaces: readonly SurfaceReport[]): readonly ReportSdk[] {
  const found = new Map<ReportSdk['sdk'], ReportSdk>();
  for (const sdk of surfaces.flatMap((each) => each.sdks)) {
    const packages = [...new Set([...(found.get(sdk.sdk)?.packages ?? []), ...sdk.packages])].sort();
    found.set(sdk.sdk, { ...sdk, packages });
  }
  return [...found.values()].sort((one, other) => (one.sdk < other.sdk ? -1 : 1));
}

function firstOf<T>(all: readonly T[], keyOf: (each: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const each of all) if (!found.has(keyOf(each))) found.set(keyOf(each), each);
  return [...found.values()];
}

const once = <T>(all: readonly T[]): readonly T[] => firstOf(all, (each) => JSON.stringify(each));
