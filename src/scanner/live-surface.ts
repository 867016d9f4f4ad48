import { poisoning } from './rules/surface/poisoning.js';
import { hiddenCharacters } from './rules/surface/hidden-characters.js';
import type { Finding, RuleContext } from './rules/rule.js';
import { emptyProject } from './project/load.js';
import type { ScanReport } from './report.js';
import { reportOf, toReportFindings, type ScanOptions } from './scan.js';
import { analyseSurface } from './surface/scan.js';
import type { InputSchema, SurfaceReport } from './surface/report.js';

/** What a running server answered; plain data, so that it can be passed to a worker thread. */
export interface LiveServer {
  readonly url: string;
  readonly tools: readonly LiveItem[];
  readonly prompts: readonly LiveItem[];
  readonly resources: readonly LiveItem[];
  readonly instructions: string;
  /** What the transport allowed, by rule. */
  readonly transport: readonly { readonly rule: string; readonly message: string }[];
  /** Lists that were not read to their end. */
  readonly cut: readonly string[];
}

/** A tool, prompt or resource of a running server. */
export interface LiveItem {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly schema?: InputSchema | undefined;
  readonly uri?: string | undefined;
}

/** Rules that need no code: they read the texts that a server sends to the model. */
const textRules = [poisoning, hiddenCharacters];

/** Scans what a running server shows: texts and transport. Its code is not available, so the verdict is never `clean`. */
export function scanLive(live: LiveServer, options: ScanOptions = {}): ScanReport {
  const surface = toSurface(live);
  // An empty project gives the rules a machine without any code.
  const { run } = analyseSurface(emptyProject);
  const context: RuleContext = {
    project: emptyProject,
    surface,
    machine: run.machine,
    registered: [],
    entries: [],
    programs: [],
    texts: new Map(),
    deadline: Number.POSITIVE_INFINITY,
  };
  const wanted = (id: string): boolean => options.rules?.includes(id) ?? true;
  const findings: readonly Finding[] = [
    ...textRules.filter(({ id }) => wanted(id)).flatMap((rule) => rule.find(context)),
    ...live.transport
      .filter(({ rule }) => wanted(rule))
      .map(({ rule, message }): Finding => ({
        rule,
        kind: 'bug',
        severity: 'medium',
        message,
        location: { file: live.url, startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
      })),
  ];
  const gaps = [
    {
      file: live.url,
      reason: 'the server is remote: its texts and its transport were examined, its code is not available',
    },
    ...live.cut.map((list) => ({ file: live.url, reason: `the list of ${list} was not read to its end` })),
  ];
  return reportOf(
    { findings: toReportFindings(emptyProject, findings), gaps, coverage: [], surface, capabilities: [] },
    options,
  );
}

/** What the server lists, in the form of a surface. */
function toSurface({ url, tools, prompts, resources, instructions }: LiveServer): SurfaceReport {
  const common = {
    decorators: [],
    location: { file: url, start_line: 1 },
    confidence: 'certain' as const,
  };
  // Instructions go to the model like a description, so they are examined as one.
  const instructionItems =
    instructions === '' ? [] : [{ name: 'instructions of the server', description: instructions }];
  return {
    tools: tools.map(({ name, title, description, schema }) => ({
      ...common,
      name,
      description,
      ...(title === undefined ? {} : { title }),
      ...(schema ? { schema } : {}),
    })),
    optionalTools: [],
    resources: resources.map(({ name, description, uri = '' }) => ({
      ...common,
      name,
      description,
      uri,
      is_template: uri.includes('{'),
    })),
    prompts: [...prompts, ...instructionItems].map(({ name, description }) => ({
      ...common,
      name,
      description,
      arguments: [],
    })),
    transports: ['http'],
    authSignals: [],
    sdks: [],
    unresolved: [],
    skipped: [],
    files: 0,
    bytes: 0,
  };
}
