import type { Machine } from '../../evaluate/interpreter/abstract-machine.js';
import { optionsOf, stringOf, type FunctionValue } from '../../evaluate/values/values.js';
import type { FunctionNode } from '../../ir/nodes.js';
import type { Discoveries, Registration } from '../../surface/registrations.js';
import { paramSchema, schemaOf } from '../../surface/schemas/schema.js';
import type { ToolEntry } from './sources.js';

/** All entry points of a server, without duplicates from build output. */
export function entriesOf(machine: Machine, found: readonly Discoveries[]): ToolEntry[] {
  const entries = new Map<string, ToolEntry>();
  const homes = new Map<string, string>();
  for (const findings of found) {
    const dispatchers = new Map(findings.dispatchers.map((each) => [each.handler.fn, each]));
    const readers = readersIn(findings);
    for (const { registration, handler } of handledIn(findings)) {
      if (readers.has(handler.fn)) continue;
      for (const name of toolNames(registration)) {
        const dispatcher = dispatchers.get(handler.fn);
        const key = `${registration.kind} ${name} ${handler.module.path}:${handler.fn.start}`;
        if (entries.has(key)) continue;
        const twins = handlerIdentities(handler).map((mark) => `${registration.kind} ${name} ${mark}`);
        const home = twins.map((twin) => homes.get(twin)).find((each) => each !== undefined) ?? handler.module.path;
        for (const twin of twins) homes.set(twin, home);
        if (home !== handler.module.path) continue;
        const schema =
          schemaOf(machine, registration.schema) ??
          (handler.module.language === 'python' ? paramSchema(machine, handler) : undefined);
        entries.set(key, {
          kind: registration.kind,
          name,
          description: descriptionOf(registration),
          ...(isReadOnly(registration.annotations) ? { isReadOnly: true } : {}),
          handler,
          schema,
          isDispatcher: dispatcher !== undefined,
          isByHand: dispatcher?.isByHand,
          ...(handler === registration.handler ? { wrapper: registration.wrapper } : { isFurther: true }),
        });
      }
    }
  }
  for (const handler of found.flatMap((findings) => [...readersIn(findings).values()]))
    entries.set(`reader ${handler.module.path}:${handler.fn.start}`, readerOf(handler));
  return [...entries.values()];
}

/** Registrations with each function that may handle them. */
const handledIn = ({ registrations }: Discoveries) =>
  registrations.flatMap((registration) =>
    [registration.handler, ...(registration.otherHandlers ?? [])].flatMap((handler) =>
      handler ? [{ registration, handler }] : [],
    ),
  );

/** Handlers of `resources/read`, which receive arbitrary URIs, listed or not. */
const readersIn = ({ dispatchers }: Discoveries): ReadonlyMap<FunctionNode, FunctionValue> =>
  new Map(dispatchers.flatMap(({ kind, handler }) => (kind === 'resource' ? [[handler.fn, handler]] : [])));

const readerOf = (handler: FunctionValue): ToolEntry => ({
  kind: 'resource',
  name: 'resources/read',
  description: handler.fn.docstring ?? '',
  handler,
  schema: undefined,
  isDispatcher: true,
});

const bundleLength = 200_000;

/** Identities of a handler across source and build output: path without the build folder, and in bundles its source text. */
const handlerIdentities = ({ module, fn }: FunctionValue): readonly string[] => [
  pathWithoutBuild(module.path),
  ...(module.text.length > bundleLength ? [module.text.slice(fn.start, fn.end)] : []),
];

/** Path without build folder and extension: `src/a.ts` and `dist/a.js` are one program, reported once. */
const pathWithoutBuild = (path: string): string =>
  path.replace(/(^|\/)(?:dist|build|lib|out|esm|cjs|src)\//, '$1').replace(/\.[mc]?[jt]sx?$/, '');

function toolNames({ name, uri, handler }: Registration): string[] {
  const known = (value: Registration['name']) =>
    (value ? optionsOf(value) : []).flatMap(
      (each) => stringOf(each.kind === 'object' ? each.props.get('value') : each) ?? [],
    );
  const names = [...known(name), ...(known(name).length === 0 ? known(uri) : [])];
  // A tool with a computed name is analysed too, under its function name.
  return names.length > 0 ? names : [handler?.fn.name ?? 'unnamed'];
}

/** `annotations: { readOnlyHint: true }` or `ToolAnnotations(readOnlyHint=True)`. */
function isReadOnly(annotations: Registration['annotations']): boolean {
  const hint =
    annotations?.kind === 'object'
      ? annotations.props.get('readOnlyHint')
      : annotations?.kind === 'result'
        ? annotations.args.named.get('readOnlyHint')
        : undefined;
  return hint?.kind === 'constant' && hint.value === true;
}

function descriptionOf({ description, handler }: Registration): string {
  for (const each of description ? optionsOf(description) : []) {
    const text = stringOf(each);
    if (text !== undefined) return text;
    if (each.kind === 'text') return each.parts.map((part) => (typeof part === 'string' ? part : '…')).join('');
  }
  return handler?.fn.docstring ?? '';
}
