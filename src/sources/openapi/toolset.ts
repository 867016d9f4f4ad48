import { suspects } from '../../core/admission.js';
import { definitionOf } from '../../core/definition.js';
import type { Limits, Tool } from '../../core/tool.js';
import type { Withheld } from '../../core/source.js';
import type { Egress } from '../../net/egress-types.js';
import { credentials, type Credential } from './credentials.js';
import type { Document } from './document.js';
import { wanted, type OperationFilter } from './filters.js';
import { said, type Note, type Operation } from './model.js';
import { toolNames } from './names.js';
import { normalised } from './normalise.js';
import { overrideFor, type Overlay } from './overrides.js';
import { schemas, type Report } from './schemas.js';
import { baseOf, type Base } from './servers.js';
import { operationTool, type OperationTool, type Workshop } from './tool.js';
import { planFault } from './unsafe.js';

/** How the operations of a document become tools. */
export interface ToolsetOptions {
  readonly id: string;
  /** Undefined for names without one. */
  readonly prefix: string | undefined;
  readonly baseUrl?: string;
  readonly overlay: Overlay;
  readonly filter: OperationFilter;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly budgets: Budgets;
  readonly limits: Partial<Limits>;
  /** A way out to these origins and no others. */
  reach(origins: readonly string[]): Egress;
}

export interface Budgets {
  /** One definition. */
  readonly toolBytes: number;
  /** The shown shape of one answer. */
  readonly outputBytes: number;
  /** All definitions together; above it the document is offered by search. */
  readonly listBytes: number;
  readonly responseBytes: number;
}

/** Something left out, with its reason in a word for programs. */
export interface WithheldOperation extends Withheld {
  readonly reason: string;
}

/** All that one version of a document offers. */
export interface Toolset {
  readonly title: string;
  readonly tools: readonly OperationTool[];
  readonly withheld: readonly WithheldOperation[];
  /** Found while reading; schemas are read when they are looked at, so this grows. */
  notes(): readonly Note[];
  readonly origins: readonly string[];
}

/** Turns a document into tools; every operation is among the tools or among the withheld. */
export function toolset(document: Document, options: ToolsetOptions): Toolset {
  const model = normalised(document);
  const withheld: WithheldOperation[] = model.skipped.map((each) => left(each, each.reason, each.message));
  const notes: Note[] = [...model.notes];
  const own = options.baseUrl === undefined ? undefined : baseOf([options.baseUrl], undefined);
  const placed: { readonly operation: Operation; readonly base: Base }[] = [];
  for (const operation of model.operations) {
    const hidden = overrideFor(operation, options.overlay).hidden === true;
    const base = own ?? baseOf(operation.servers, document.url);
    if (hidden || !wanted(operation, options.filter))
      withheld.push(
        left(
          operation,
          hidden ? 'hidden' : 'filtered',
          hidden ? 'an override hides it' : 'the filters of the source leave it out',
        ),
      );
    else if (!base.ok) withheld.push(left(operation, base.reason, base.message));
    else placed.push({ operation, base: base.base });
  }
  const origins = [...new Set(placed.map(({ base }) => base.origin))].toSorted();
  const report = noting(notes);
  const shared = {
    source: options.id,
    egress: () => options.reach(origins),
    credentials: credentials({
      origin: own?.ok ? own.base.origin : undefined,
      byScheme: options.credentials,
      schemes: model.schemes,
      egress: () => options.reach(tokenOrigins(options.credentials)),
    }),
    budgets: options.budgets,
    limits: options.limits,
  };
  const table = schemas(report);
  const usable = placed.filter(({ operation }) => {
    const fault = planFault(operation);
    if (fault !== undefined) withheld.push(left(operation, fault.reason, fault.message));
    return fault === undefined;
  });
  const named = usable.map(({ operation, base }) => {
    const given = overrideFor(operation, options.overlay);
    const override =
      given.arguments === undefined
        ? given
        : {
            ...given,
            arguments: Object.fromEntries(
              Object.entries(given.arguments).map(([name, value]) => [
                name,
                table.of({ doc: document, value }, 'request'),
              ]),
            ),
          };
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
  const workshop: Workshop = { ...shared, schemas: table };
  const tools = named.map((each) =>
    operationTool(each.operation, names.get(each) ?? '', each.base, each.override, workshop),
  );
  let suspected: readonly Note[] | undefined;
  const suspicions = (): readonly Note[] => (suspected ??= tools.flatMap(suspicion));
  return {
    title: model.title,
    tools: tools.toSorted(byName),
    withheld: withheld.toSorted((one, other) => (one.what < other.what ? -1 : 1)),
    notes: () => [...notes, ...suspicions()],
    origins,
  };
}

/** Words of an operation that are meant for the model rather than about the operation; worked out only for those who ask. */
const suspicion = (tool: OperationTool): readonly Note[] =>
  suspects({ ...definitionOf(tool), meta: tool.meta })
    .slice(0, 3)
    .map(({ where, why, excerpt }) => ({
      where: said(tool.operation),
      reason: 'suspect_text',
      message: `${where}: ${why} (${excerpt})`,
    }));

const byName = (one: Tool, other: Tool): number => (one.name < other.name ? -1 : 1);

const left = (
  operation: { readonly method: string; readonly path: string },
  reason: string,
  message: string,
): WithheldOperation => ({ what: said(operation), why: `${reason}: ${message}`, reason });

/** Each thing said once, and not without end. */
function noting(notes: Note[]): Report {
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
