import { boundNames } from '../ir/names.js';
import { locationOf } from '../ir/positions.js';
import type { Machine } from '../evaluate/interpreter/abstract-machine.js';
import {
  constant,
  optionsOf,
  soleOption,
  stringOf,
  type FunctionValue,
  type Place,
  type Value,
} from '../evaluate/values/values.js';
import { prefixesOf } from './mounts.js';
import type { Discoveries, Registration } from './registrations.js';
import type {
  InputSchema,
  ReportHandler,
  ReportLocation,
  ReportPrompt,
  ReportResource,
  ReportTool,
  Unresolved,
} from './report.js';
import { paramSchema, schemaOf } from './schemas/schema.js';

/** Report entries built from the discoveries of one evaluation. */
interface BuiltSurface {
  readonly tools: ReportTool[];
  readonly resources: ReportResource[];
  readonly prompts: ReportPrompt[];
  readonly unresolved: Unresolved[];
}

/** Converts a place into a report location. */
export function reportLocation({ module, spot }: Place): ReportLocation {
  const { file, startLine, endLine } = locationOf(module, spot);
  return { file, start_line: startLine, end_line: endLine };
}

/** Converts the discoveries of an evaluation into report entries; unknown names become unresolved entries. */
export function buildSurface(machine: Machine, discoveries: Discoveries): BuiltSurface {
  const built: BuiltSurface = { tools: [], resources: [], prompts: [], unresolved: [] };
  for (const registration of discoveries.registrations) {
    const names = registrationNames(registration);
    // An item whose name is unknown still exists: it is reported instead of dropped.
    if (names.length === 0) {
      const kind = registration.kind === 'template' ? 'resource' : registration.kind;
      built.unresolved.push({
        kind,
        reason: computedName(registration.name),
        location: reportLocation(registration.at),
      });
    }
    // A loop over known names makes one registration with several names.
    for (const name of names)
      for (const prefix of prefixesOf(discoveries.mounts, registration.server))
        addRegistration(machine, built, registration, name, prefix);
  }
  for (const { kind, reason, at } of discoveries.unresolved)
    built.unresolved.push({ kind, reason, location: reportLocation(at) });
  return {
    // The same definition may be reached twice, through two entry points.
    tools: distinct(built.tools, (tool) =>
      JSON.stringify([tool.name, tool.description, Object.keys(tool.schema?.properties ?? {})]),
    ),
    resources: distinct(built.resources, (resource) => JSON.stringify([resource.name, resource.uri])),
    prompts: distinct(built.prompts, (prompt) => JSON.stringify([prompt.name, prompt.description])),
    unresolved: distinct(built.unresolved, (each) => JSON.stringify(each)),
  };
}

/** The reason for an unknown name, with the parts that are known. */
function computedName(name: Value | undefined): string {
  if (name?.kind !== 'text') return 'the name is computed at run time';
  return `the name is computed at run time: ${name.parts.map((part) => (typeof part === 'string' ? part : '…')).join('')}`;
}

/** Names that a registration may have; a resource without one is named by its URI. */
function registrationNames({ name, kind, uri }: Registration): string[] {
  const known = (value: Value | undefined): string[] =>
    (value ? optionsOf(value) : []).flatMap(
      (each) => stringOf(each.kind === 'object' ? (each.props.get('value') ?? constant(undefined)) : each) ?? [],
    );
  const names = known(name);
  return names.length > 0 || (kind !== 'resource' && kind !== 'template') ? names : known(uri);
}

/** Removes duplicates and sorts by place, so that reports are stable across runs. */
function distinct<T extends { readonly location: ReportLocation }>(items: readonly T[], key: (item: T) => string): T[] {
  const found = new Map<string, T>();
  for (const item of items) if (!found.has(key(item))) found.set(key(item), item);
  const place = ({ location }: T) => [location.file, location.start_line] as const;
  return [...found.values()].sort((one, other) => {
    const [[fileA, lineA], [fileB, lineB]] = [place(one), place(other)];
    if (fileA !== fileB) return fileA < fileB ? -1 : 1;
    return lineA - lineB || (key(one) < key(other) ? -1 : 1);
  });
}

/** A known or partly known text, and whether it is complete. */
function knownText(value: Value | undefined): { readonly text: string; readonly complete: boolean } | undefined {
  for (const each of value ? optionsOf(value) : []) {
    const known = stringOf(each);
    // A description that depends on a branch is shown, but marked as incomplete.
    if (known !== undefined) return { text: known, complete: value ? soleOption(value).kind !== 'choice' : true };
    if (each.kind === 'text')
      return { text: each.parts.map((part) => (typeof part === 'string' ? part : '…')).join(''), complete: false };
  }
  return value && !optionsOf(value).some((each) => each.kind === 'constant')
    ? { text: '', complete: false }
    : undefined;
}

/** Converts a handler into its report entry. */
export function reportHandler(fn: Pick<FunctionValue, 'fn' | 'module'> | undefined): { handler?: ReportHandler } {
  if (!fn) return {};
  const location = reportLocation({ module: fn.module, spot: fn.fn });
  return { handler: { function_name: fn.fn.name ?? '<anonymous>', file_name: location.file, location } };
}

/** Adds one registration under one name and mount. */
function addRegistration(
  machine: Machine,
  built: BuiltSurface,
  registration: Registration,
  plainName: string,
  prefix: string,
): void {
  const { kind, handler, at } = registration;
  // Mounting prefixes names with an underscore, as FastMCP does.
  const name = prefix === '' ? plainName : `${prefix}_${plainName}`;
  const title = stringOf(registration.title && soleOption(registration.title));
  const given = knownText(registration.description);
  // A dispatcher handles all listed tools, so its docstring describes none of them.
  const isListed = registration.decorators.length === 0;
  const docstring = isListed || given?.text || given?.complete === false ? undefined : handler?.fn.docstring;
  const described = docstring === undefined ? given : { text: docstring, complete: true };
  const common = {
    name,
    ...(title === undefined ? {} : { title }),
    description: described?.text ?? '',
    ...(described?.complete === false ? { description_complete: false } : {}),
    ...reportHandler(handler),
    decorators: registration.decorators,
    location: reportLocation(at),
    confidence: 'certain' as const,
  };
  if (kind === 'tool') built.tools.push({ ...common, schema: inputOf(machine, registration) });
  else if (kind === 'prompt') built.prompts.push({ ...common, arguments: promptArguments(machine, registration) });
  else {
    const uri = stringOf(registration.uri) ?? knownText(registration.uri)?.text ?? '';
    built.resources.push({
      ...common,
      // The prefix becomes the first path segment of the URI.
      uri: prefix === '' ? uri : uri.replace(/^([\w+.-]+:\/\/)/, `$1${prefix}/`),
      is_template: kind === 'template',
    });
  }
}

/** Input schema: as registered, else from the signature of a Python handler. */
function inputOf(machine: Machine, { schema, handler, at }: Registration): InputSchema {
  const given = schemaOf(machine, schema);
  if (given) return given;
  if (handler && at.module.language === 'python') return paramSchema(machine, handler);
  return { type: 'object', properties: {} };
}

/** Argument names of a prompt, from its schema or its handler. */
function promptArguments(machine: Machine, registration: Registration): string[] {
  const { schema, handler, at } = registration;
  const named = schema?.kind === 'list' ? schema.items : undefined;
  if (named)
    return named.flatMap(
      (item) =>
        stringOf(
          item.kind === 'object'
            ? item.props.get('name')
            : item.kind === 'result'
              ? item.args.named.get('name')
              : undefined,
        ) ?? [],
    );
  if (!schema && at.module.language !== 'python')
    return handler
      ? handler.fn.params
          .slice(0, 1)
          .flatMap((param) => (param.target.kind === 'dict-pattern' ? boundNames(param.target) : []))
      : [];
  return Object.keys(inputOf(machine, registration).properties);
}
