import type { Gap } from './report.js';
import type { SurfaceReport } from './surface/report.js';
import type { EntryResult, Reached } from './taint/run.js';
import type { ToolEntry } from './taint/sources/sources.js';

/** A callee that received the caller's data and was not followed. */
interface UnfollowedCall {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

/** How far the analysis followed one tool; anything short of the whole tool is a gap. */
export interface ToolCoverage {
  readonly tool: string;
  /** The handler was found. */
  readonly entered: boolean;
  /** The handler was analysed to its end, within the budgets. */
  readonly finished: boolean;
  /** For tools behind a dispatcher: code that runs for this tool alone was found. */
  readonly branch?: boolean;
  readonly unfollowed: readonly UnfollowedCall[];
}

/** One entry point; without a result if a budget ended the analysis before it. */
export interface AnalysedEntry {
  readonly entry: ToolEntry;
  readonly result: EntryResult | undefined;
}

/** Callees listed per tool; further ones add nothing to the decision. */
const maxUnfollowed = 20;

/**
 * Coverage of every tool that the surface names with certainty. `baselines` holds what each dispatcher reaches for a tool
 * name that does not exist: a tool that reaches nothing more than that has no branch that was found.
 */
export function coverageOf(
  surface: SurfaceReport,
  analysed: readonly AnalysedEntry[],
  baselines: ReadonlyMap<unknown, EntryResult>,
): readonly ToolCoverage[] {
  const byName = new Map<string, AnalysedEntry[]>();
  for (const each of analysed)
    if (each.entry.kind === 'tool') byName.set(each.entry.name, [...(byName.get(each.entry.name) ?? []), each]);
  // Guessed tools have no coverage to report.
  const names = new Set(
    [...surface.tools, ...surface.optionalTools]
      .filter(({ confidence }) => confidence !== 'heuristic')
      .map(({ name }) => name),
  );
  return [...names].toSorted().map((tool) => toolCoverage(tool, byName.get(tool) ?? [], baselines));
}

/** Coverage of one tool over all of its handlers. */
function toolCoverage(
  tool: string,
  analysed: readonly AnalysedEntry[],
  baselines: ReadonlyMap<unknown, EntryResult>,
): ToolCoverage {
  const unfollowed = new Map<string, UnfollowedCall>();
  for (const { result } of analysed)
    for (const { name, at } of result?.unfollowed ?? [])
      if (unfollowed.size < maxUnfollowed)
        unfollowed.set(`${name} ${at.file}:${at.startLine}`, { name, file: at.file, line: at.startLine });
  // Only if every handler is a dispatcher: a separate handler is the branch.
  const dispatched = analysed.filter(({ entry }) => entry.isDispatcher);
  return {
    tool,
    entered: analysed.length > 0,
    finished: analysed.some(({ result }) => result?.isFinished),
    ...(dispatched.length > 0 &&
      dispatched.length === analysed.length && {
        branch: dispatched.some(
          // Without a result the budget ended; that gap is reported elsewhere.
          ({ entry, result }) => result === undefined || reachesMore(result, baselines.get(entry.handler.fn)),
        ),
      }),
    unfollowed: [...unfollowed.values()],
  };
}

/** Whether a run reached a call that the run for an unknown tool name did not reach. */
function reachesMore({ reached }: EntryResult, baseline: EntryResult | undefined): boolean {
  if (baseline === undefined) return true;
  const known = new Set(baseline.reached.map(callKey));
  return reached.some((each) => !known.has(callKey(each)));
}

/** Identity of a call. */
const callKey = ({ name, at }: Reached): string => `${name} ${at.file}:${at.startLine}:${at.startColumn}`;

/** Merges the coverage of the parts of a large tree: what one part followed is followed. */
export function mergeCoverage(parts: readonly (readonly ToolCoverage[])[]): readonly ToolCoverage[] {
  const merged = new Map<string, ToolCoverage>();
  for (const next of parts.flat()) {
    const before = merged.get(next.tool);
    merged.set(next.tool, before === undefined ? next : combine(before, next));
  }
  return [...merged.values()].sort((one, other) => (one.tool < other.tool ? -1 : 1));
}

/** Joins two parts: reached in either is reached. */
function combine(one: ToolCoverage, other: ToolCoverage): ToolCoverage {
  // Undefined means "no dispatcher" in that part, so nothing can be concluded.
  const branch = one.branch === undefined || other.branch === undefined ? undefined : one.branch || other.branch;
  const unfollowed = new Map([...one.unfollowed, ...other.unfollowed].map((call) => [JSON.stringify(call), call]));
  return {
    tool: one.tool,
    entered: one.entered || other.entered,
    finished: one.finished || other.finished,
    ...(branch !== undefined && { branch }),
    unfollowed: [...unfollowed.values()].slice(0, maxUnfollowed),
  };
}

/** Gaps that follow from coverage: tools whose code was not entered, found or followed. */
export function coverageGaps(surface: SurfaceReport, coverage: readonly ToolCoverage[]): readonly Gap[] {
  const fileOf = new Map(
    [...surface.tools, ...surface.optionalTools].map(({ name, location }) => [name, location.file]),
  );
  return coverage.flatMap(({ tool, entered, branch, unfollowed }): readonly Gap[] => {
    const file = fileOf.get(tool) ?? '.';
    if (!entered)
      return [{ file, reason: `the handler of ${tool} was not found`, group: 'tools whose handler was not found' }];
    if (branch === false)
      return [
        {
          file,
          reason: `the dispatcher has no branch for ${tool} that could be followed`,
          group: 'tools without a branch in their dispatcher',
        },
      ];
    return unfollowed.map(({ name, file: at, line }) => ({
      file: at,
      reason: `${tool} passes the caller's data to ${name} (line ${line}), which was not followed`,
      group: "calls with the caller's data that were not followed",
    }));
  });
}

/** Source files in languages that the scanner does not parse, by extension. */
const otherLanguages: Readonly<Record<string, string>> = {
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  kt: 'Kotlin',
  cs: 'C#',
  rb: 'Ruby',
  php: 'PHP',
  swift: 'Swift',
  c: 'C',
  cc: 'C++',
  cpp: 'C++',
  ex: 'Elixir',
  dart: 'Dart',
  lua: 'Lua',
  zig: 'Zig',
};

/** Gaps of a tree in which no tool was found: nothing was examined, so nothing can be called clean. */
export function emptyTreeGaps(surface: SurfaceReport, files: readonly string[]): readonly Gap[] {
  const certain = [...surface.tools, ...surface.optionalTools].some(({ confidence }) => confidence !== 'heuristic');
  // An unresolved registration is reported with its own reason.
  if (certain || (surface.files > 0 && surface.unresolved.length > 0)) return [];
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = otherLanguages[file.slice(file.lastIndexOf('.') + 1).toLowerCase()];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const others = [...counts].map(([language, count]) => `${count} ${language}`).join(', ');
  if (surface.files === 0)
    return [
      {
        file: '.',
        reason: `no Python, JavaScript or TypeScript was found${others === '' ? '' : `; files in other languages were not analysed (${others})`}`,
      },
    ];
  if (surface.resources.length + surface.prompts.length > 0)
    return [
      {
        file: '.',
        reason: 'resources or prompts were found, but no tool: they may be registered in a form that is not supported',
      },
    ];
  return [
    {
      file: '.',
      reason: `no tool was found${others === '' ? '' : `; files in other languages were not analysed (${others})`}`,
    },
  ];
}
