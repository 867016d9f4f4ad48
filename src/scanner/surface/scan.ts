import { positionAt } from '../ir/positions.js';
import { walkModule, type Visitor } from '../ir/walk.js';
import type { Machine } from '../evaluate/interpreter/abstract-machine.js';
import { scopeIn } from '../evaluate/values/scope.js';
import type { FunctionValue } from '../evaluate/values/values.js';
import type { FunctionNode, Module } from '../ir/nodes.js';
import { defaultLimits, loadFiles, type Project, type ProjectLimits } from '../project/load.js';
import { isLarge, scanTree } from '../parts/scan-tree.js';
import { walkFiles } from '../project/walk.js';
import { authSignals } from './auth.js';
import { buildSurface, reportHandler, reportLocation } from './build.js';
import { isAuxiliary } from '../project/auxiliary-files.js';
import { suggestedTools } from './heuristics.js';
import {
  noRegistrationReason,
  type ReportSdk,
  type ReportTool,
  type SurfaceReport,
  type Unresolved,
} from './report.js';
import { runProject, type Run } from './run.js';
import { paramSchema } from './schemas/schema.js';
import { scriptSdkOf, sdkNames, sdkOf } from './sdk.js';
import { missedRegistrations } from './missed-registrations.js';
import { transportsOf } from './transports.js';

/** Options of a surface scan. */
export interface SurfaceOptions {
  /** Report undecorated functions whose names suggest tools; on by default. */
  readonly heuristics?: boolean;
  readonly limits?: Partial<ProjectLimits>;
  /** Receives the current phase, for a progress line. */
  readonly onProgress?: (doing: string) => void;
}

/** Derives what an MCP server offers from its source in a folder or file; never executes it. */
export async function scanSurface(root: string, options: SurfaceOptions = {}): Promise<SurfaceReport> {
  const limits = { ...defaultLimits, ...options.limits };
  const { heuristics = true, onProgress } = options;
  onProgress?.('reading');
  const walked = await walkFiles(root, limits);
  // Large trees are split into parts, which are analysed by worker threads.
  if (isLarge(walked)) return (await scanTree(walked, { limits, heuristics, surfaceOnly: true, onProgress })).surface;
  const project = await loadFiles(walked, limits);
  onProgress?.('finding tools');
  return surfaceOf(project, options);
}

/** Derives the surface of a project that is already loaded. */
export const surfaceOf = (project: Project, options: SurfaceOptions = {}): SurfaceReport =>
  analyseSurface(project, options).report;

/** The surface together with the evaluation it is derived from, for further analyses. */
export function analyseSurface(
  project: Project,
  options: SurfaceOptions = {},
): { readonly report: SurfaceReport; readonly run: Run; readonly suggested: readonly SuggestedTool[] } {
  const timeoutMs = options.limits?.timeoutMs ?? defaultLimits.timeoutMs;
  const deadline = Date.now() + timeoutMs;
  // Twice: as started without settings, which is what most users see, and with every setting possible.
  // Half of the time for the first, so that the second evaluation of a slow program still finds something.
  const withDefaults = surfaceWithDefaults(project, timeoutMs / 2, options);
  const full = withDefaults.run ?? runProject(project, deadline - Date.now(), 'any');
  const all = buildSurface(full.machine, full.discoveries);
  // A server that offers nothing by default is shown as it is when configured.
  const shown = withDefaults.shown ?? toShownTools(project, full, all.tools, options);
  const names = new Set(shown.tools.map((tool) => tool.name));
  const served = [...project.modules.values()].filter(
    (module) => shown.ran.has(module.path) || !isAuxiliary(module.path),
  );
  const report: SurfaceReport = {
    tools: [...shown.tools, ...shown.heuristic.map(({ tool }) => tool)],
    // Tools that only appear with settings are listed separately.
    optionalTools: all.tools.filter((tool) => !names.has(tool.name)),
    resources: all.resources,
    prompts: all.prompts,
    transports: transportsOf(full.machine, full.discoveries),
    authSignals: served.flatMap(authSignals),
    sdks: detectSdks(served),
    unresolved: [
      ...all.unresolved,
      ...findUnresolved(
        full,
        [...all.tools, ...shown.tools],
        all.unresolved.length + all.prompts.length + all.resources.length > 0,
      ),
    ],
    skipped: project.skipped.map(({ path, reason }) => ({ file: path, reason })),
    files: project.modules.size,
    bytes: project.bytes,
  };
  const suggested = shown.heuristic.map(({ tool, fn, module }) => ({
    tool,
    handler: handlerOf(full.machine, fn, module),
  }));
  return { report, run: full, suggested };
}

/** A tool that only its name suggests, with the function that would handle it. */
export interface SuggestedTool {
  readonly tool: ReportTool;
  readonly handler: FunctionValue;
}

/** A function whose name suggests a tool. */
interface HeuristicTool {
  readonly tool: ReportTool;
  readonly fn: FunctionNode;
  readonly module: Module;
}

/** What the report shows as offered. */
interface ShownTools {
  readonly tools: readonly ReportTool[];
  readonly heuristic: readonly HeuristicTool[];
  readonly ran: ReadonlySet<string>;
}

/** The registered tools and, if wanted, those that only their names suggest. */
const toShownTools = (
  project: Project,
  run: Run,
  tools: readonly ReportTool[],
  { heuristics }: SurfaceOptions,
): ShownTools => ({
  tools,
  heuristic: heuristics === false ? [] : heuristicTools(project, tools, run),
  ran: new Set(run.machine.runs.keys()),
});

/** The surface without optional settings, if not empty; also returns the evaluation if no setting was read, so that a second one is not needed. */
function surfaceWithDefaults(
  project: Project,
  timeoutMs: number,
  options: SurfaceOptions,
): { readonly shown?: ShownTools; readonly run?: Run } {
  const run = runProject(project, timeoutMs, 'unset');
  const { tools } = buildSurface(run.machine, run.discoveries);
  return {
    ...(tools.length === 0 ? {} : { shown: toShownTools(project, run, tools, options) }),
    // If no setting was read, the second evaluation would be the same.
    ...(run.machine.assumedUnset ? {} : { run }),
  };
}

/** Reports what the evaluation could not complete, import or reach. */
function findUnresolved(
  { machine, discoveries, unreached }: Run,
  tools: readonly ReportTool[],
  hasOtherEntries: boolean,
): Unresolved[] {
  const found: Unresolved[] = machine.partialImports.map(({ at, prefix }) => ({
    kind: 'any',
    reason: `modules under ${prefix || '.'} are imported by computed names`,
    location: reportLocation(at),
  }));
  // Gaps need a place; the first module is as good as any.
  const [ran] = machine.runs.values();
  const [any] = machine.project.modules.values();
  const first = ran?.module ?? any;
  if (machine.exhausted !== undefined && first)
    found.push({
      kind: 'any',
      reason: `the analysis ended early: ${machine.exhausted}`,
      location: { file: first.path, start_line: 1 },
    });
  for (const path of machine.unfinished)
    found.push({
      kind: 'any',
      reason: 'the module is nested too deeply to analyse',
      location: { file: path, start_line: 1 },
    });
  const names = new Set(tools.map((tool) => tool.name));
  for (const tool of buildSurface(machine, unreached).tools) {
    if (names.has(tool.name)) continue;
    found.push({
      kind: 'tool',
      reason: `${tool.name} is registered by code that no known entry point reaches`,
      location: tool.location,
    });
  }
  found.push(...missedRegistrations(machine, new Set([...discoveries.sites, ...unreached.sites])));
  const anything = tools.length > 0 || machine.partialImports.length > 0 || found.length > 0 || hasOtherEntries;
  // A part of a larger tree may well have no registration.
  if (!anything && first && !machine.project.part)
    found.push({ kind: 'any', reason: noRegistrationReason, location: { file: first.path, start_line: 1 } });
  const [started] = machine.project.python.filter(({ scripts }) => scripts.length > 0);
  // The manifest names a program, but its code is not here.
  if (!any && started)
    found.push({
      kind: 'any',
      reason: 'the entry point is in code outside the scanned folder',
      location: { file: started.folder, start_line: 1 },
    });
  // The same gap may follow from several causes.
  const seen = new Set<string>();
  return found.filter((each) => !seen.has(JSON.stringify(each)) && seen.add(JSON.stringify(each)));
}

/** Functions whose names suggest tools; a function that other code references is a helper and excluded. */
function heuristicTools(project: Project, tools: readonly ReportTool[], { machine }: Run): HeuristicTool[] {
  const candidates = [...project.modules.values()]
    .filter((module) => !isAuxiliary(module.path))
    .flatMap((module) => suggestedTools(module).map((fn) => ({ fn, module })));
  // Without candidates the walk over all modules is skipped.
  if (candidates.length === 0) return [];
  const mentioned = new Set<string>();
  const names = [...new Set(candidates.map(({ fn }) => fn.name ?? ''))];
  const visitor: Visitor = {
    mayContain: (text) => names.some((name) => text.includes(name)),
    expr: (expr) =>
      void (expr.kind === 'name' ? mentioned.add(expr.name) : expr.kind === 'member' && mentioned.add(expr.property)),
  };
  for (const module of project.modules.values()) if (visitor.mayContain?.(module.text)) walkModule(module, visitor);
  // Functions that a manifest starts are programs, not tools.
  const scripts = new Set(project.python.flatMap((manifest) => manifest.scripts.map((script) => script.attribute)));
  const handlers = new Set(
    // A registered handler is a tool already.
    tools.flatMap((tool) => (tool.handler ? [`${tool.handler.file_name}:${tool.handler.location.start_line}`] : [])),
  );
  return candidates.flatMap(({ fn, module }) => {
    const name = fn.name ?? '';
    if (mentioned.has(name) || scripts.has(name) || handlers.has(`${module.path}:${positionAt(module, fn.start).line}`))
      return [];
    const value = handlerOf(machine, fn, module);
    const tool = {
      name,
      description: fn.docstring ?? '',
      ...reportHandler(value),
      decorators: [],
      location: reportLocation({ module, spot: fn }),
      confidence: 'heuristic' as const,
      ...(module.language === 'python' ? { schema: paramSchema(machine, value) } : {}),
    };
    return [{ tool, fn, module }];
  });
}

/** A function as a value of its module. */
const handlerOf = (machine: Machine, fn: FunctionNode, module: Module): FunctionValue => ({
  kind: 'function',
  fn,
  module,
  scope: machine.runs.get(module.path)?.scope ?? scopeIn(undefined, 0, true),
  props: new Map(),
});

/** SDKs that the modules import, by package. */
function detectSdks(modules: readonly Module[]): ReportSdk[] {
  const found = new Map<ReportSdk['sdk'], Set<string>>();
  const add = (source: string, isPython: boolean) => {
    const sdk = isPython ? sdkOf(source) : scriptSdkOf(source);
    if (!sdk) return;
    const name = isPython
      ? source.split('.')[0]
      : source.startsWith('@')
        ? source.split('/').slice(0, 2).join('/')
        : source.split('/')[0];
    found.set(sdk, (found.get(sdk) ?? new Set()).add(name ?? source));
  };
  for (const module of modules) {
    const isPython = module.language === 'python';
    for (const stmt of module.body)
      if (stmt.kind === 'import' || stmt.kind === 'export') add(stmt.source ?? '', isPython);
    // Bundlers and CommonJS load modules by a call.
    if (!isPython)
      for (const match of module.text.matchAll(
        /(?:require|import)\(\s*["'](@modelcontextprotocol\/[\w/.-]+|fastmcp)["']/g,
      ))
        add(match[1] ?? '', false);
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([sdk, packages]) => ({ sdk, name: sdkNames[sdk], packages: [...packages].sort() }));
}
