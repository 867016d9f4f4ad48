import { findInjectionSigns } from '../../../hostile-text/definition-injection.js';
import { definitionOf } from '../../../core/definition.js';
import type { Limits, Tool } from '../../../core/tool.js';
import type { Withheld } from '../../../core/source.js';
import type { Egress } from '../../../net/egress/egress-types.js';
import { credentials, type Credential } from '../request/credentials.js';
import type { Document } from '../document/parse.js';
import { isSelected, type OperationFilter } from './filters.js';
import { operationLabel, type DocumentNote, type Operation } from '../document/model.js';
import { toolNames } from './names.js';
import { normaliseDocument } from '../document/normalise.js';
import { findOverride, type Overlay, type Override } from './overrides.js';
import { resolvePresets } from './presets.js';
import type { Timing } from '../../http/sender.js';
import { planArguments } from '../request/argument-plan.js';
import { cleanText } from '../schemas/prose.js';
import { schemaConverter, type ReportProblem, type SchemaConverter } from '../schemas/converter.js';
import { chooseBaseUrl, type BaseUrl } from '../document/servers.js';
import { operationTool, type OperationTool, type ToolContext } from './operation-tool.js';
import { findSafetyProblem } from '../document/operation-safety.js';

/** How to convert the operations of a document into tools. */
interface ToolsetOptions {
  readonly id: string;
  /** Prefix of tool names, if any. */
  readonly prefix: string | undefined;
  readonly baseUrl?: string;
  readonly overlay: Overlay;
  readonly filter: OperationFilter;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly budgets: Budgets;
  readonly limits: Partial<Limits>;
  /** Variables for values in the overlay; absent if no request is ever sent. */
  readonly env?: NodeJS.ProcessEnv;
  /** Total attempts of an operation that is safe to repeat. */
  readonly attempts: number;
  readonly timing?: Timing;
  /** Opens an egress that is restricted to these origins. */
  openEgress(origins: readonly string[]): Egress;
}

export interface Budgets {
  /** Maximum size of one tool definition. */
  readonly toolBytes: number;
  /** Maximum size of one output schema. */
  readonly outputBytes: number;
  /** Maximum size of all definitions; above it the catalog tools are listed instead. */
  readonly listBytes: number;
  readonly responseBytes: number;
}

/** A withheld operation with a machine-readable reason. */
export interface WithheldOperation extends Withheld {
  readonly reason: string;
}

/** The tools of one version of a document. */
export interface Toolset {
  readonly title: string;
  readonly tools: readonly OperationTool[];
  readonly withheld: readonly WithheldOperation[];
  /** Warnings so far; schemas are converted lazily, so the list can grow. */
  notes(): readonly DocumentNote[];
  readonly origins: readonly string[];
  readonly schemas: SchemaConverter;
}

/** Converts a document into tools; every operation ends up in `tools` or in `withheld`. */
export function buildToolset(document: Document, options: ToolsetOptions): Toolset {
  const model = normaliseDocument(document);
  const withheld: WithheldOperation[] = model.skipped.map((skipped) =>
    toWithheld(skipped, skipped.reason, skipped.message),
  );
  const notes: DocumentNote[] = [...model.notes];
  const configuredBase = options.baseUrl === undefined ? undefined : chooseBaseUrl([options.baseUrl], undefined);
  const candidates: { readonly operation: Operation; readonly base: BaseUrl }[] = [];
  for (const operation of model.operations) {
    const hidden = findOverride(operation, options.overlay).hidden === true;
    const base = configuredBase ?? chooseBaseUrl(operation.servers, document.url);
    if (hidden || !isSelected(operation, options.filter))
      withheld.push(
        toWithheld(
          operation,
          hidden ? 'hidden' : 'filtered',
          hidden ? 'hidden by an override' : 'excluded by the filters of the source',
        ),
      );
    else if (!base.ok) withheld.push(toWithheld(operation, base.reason, base.message));
    else candidates.push({ operation, base: base.base });
  }
  const origins = [...new Set(candidates.map(({ base }) => base.origin))].toSorted();
  const report = reportOnce(notes);
  const shared = {
    source: options.id,
    egress: () => options.openEgress(origins),
    credentials: credentials({
      origin: configuredBase?.ok ? configuredBase.base.origin : undefined,
      byScheme: options.credentials,
      schemes: model.schemes,
      egress: () => options.openEgress(tokenOrigins(options.credentials)),
    }),
    budgets: options.budgets,
    limits: options.limits,
    attempts: options.attempts,
    ...(options.timing && { timing: options.timing }),
  };
  const converter = schemaConverter(report);
  const usable = candidates.filter(({ operation }) => {
    const problem = findSafetyProblem(operation);
    if (problem !== undefined) withheld.push(toWithheld(operation, problem.reason, problem.message));
    return problem === undefined;
  });
  const authenticated = usable.filter(({ operation }) => {
    const label = shared.credentials.problemOf(operation);
    if (label !== undefined)
      withheld.push(
        toWithheld(
          operation,
          'unsupported_auth',
          `it requires ${cleanText(label, 100)}, which the gateway does not perform; let a proxy authenticate and set \`external: true\` under auth`,
        ),
      );
    return label === undefined;
  });
  const named = authenticated.map(({ operation, base }) => {
    const given = findOverride(operation, options.overlay);
    const override = {
      ...given,
      ...(given.arguments && {
        arguments: Object.fromEntries(
          Object.entries(given.arguments).map(([name, value]) => [
            name,
            converter.convert({ doc: document, value }, 'request'),
          ]),
        ),
      }),
      ...(given.preset && { values: resolvePresets(given.preset, options.env) }),
    };
    notes.push(...presetNotes(operation, override, converter));
    return {
      operation,
      base,
      override,
      method: operation.method,
      path: operation.path,
      ...(operation.operationId !== undefined && { operationId: operation.operationId }),
      ...(override.name !== undefined && { chosen: override.name }),
    };
  });
  const names = toolNames(named, options.prefix);
  const context: ToolContext = { ...shared, schemas: converter };
  const tools = named.map((each) =>
    operationTool(each.operation, names.get(each) ?? '', each.base, each.override, context),
  );
  let suspected: readonly DocumentNote[] | undefined;
  const suspicions = (): readonly DocumentNote[] => (suspected ??= tools.flatMap(findSuspectText));
  return {
    title: model.title,
    tools: tools.toSorted(compareByName),
    withheld: withheld.toSorted((one, other) => (one.what < other.what ? -1 : 1)),
    notes: () => [...notes, ...suspicions()],
    origins,
    schemas: converter,
  };
}

/** Finds prompt injection in the texts of a tool; computed lazily, because it is only needed for reports. */
const findSuspectText = (tool: OperationTool): readonly DocumentNote[] =>
  findInjectionSigns({ ...definitionOf(tool), meta: tool.meta })
    .slice(0, 3)
    .map(({ where, why, excerpt }) => ({
      where: operationLabel(tool.operation),
      reason: 'suspect_text',
      message: `${where}: ${why} (${excerpt})`,
    }));

/** Presets without effect, and hidden arguments that the service requires. */
function presetNotes(operation: Operation, { preset }: Override, converter: SchemaConverter): readonly DocumentNote[] {
  if (preset === undefined) return [];
  const { slots, body } = planArguments(operation, converter);
  const required = new Map([
    ...slots.map(({ argument, parameter }) => [argument, parameter.required] as const),
    ...(body ? [[body.argument, body.body.required] as const] : []),
  ]);
  return Object.entries(preset).flatMap(([argument, value]) => {
    const where = operationLabel(operation);
    if (!required.has(argument))
      return [{ where, reason: 'unknown_argument', message: `the overlay presets ${argument}, which is no argument` }];
    return required.get(argument) === true && 'hidden' in value
      ? [{ where, reason: 'hidden_argument', message: `the overlay hides ${argument}, which is required` }]
      : [];
  });
}

const compareByName = (one: Tool, other: Tool): number => (one.name < other.name ? -1 : 1);

const toWithheld = (
  operation: { readonly method: string; readonly path: string },
  reason: string,
  message: string,
): WithheldOperation => ({ what: operationLabel(operation), why: `${reason}: ${message}`, reason });

/** Deduplicates notes, up to a fixed number. */
function reportOnce(notes: DocumentNote[]): ReportProblem {
  const seen = new Set<string>();
  return (reason, message) => {
    const key = `${reason} ${message}`;
    if (seen.has(key) || seen.size >= 1_000) return;
    seen.add(key);
    notes.push({ where: 'schemas', reason, message });
  };
}

const tokenOrigins = (all: ReadonlyMap<string, Credential>): readonly string[] => [
  ...new Set(
    [...all.values()].flatMap((credential) =>
      credential.kind === 'oauth2' ? [new URL(credential.tokenUrl).origin] : [],
    ),
  ),
];
