import type { Param } from '../../ir/nodes.js';
import { dottedName } from '../../ir/names.js';
import type { Registration } from '../../surface/registrations.js';
import type { InputSchema } from '../../surface/report.js';
import { constant, type FunctionValue } from '../../evaluate/values/values.js';
import type { Fact, Taint } from '../facts/facts.js';
import { allSafe, callerScalarName } from '../facts/facts.js';
import { anyParam } from '../facts/param-names.js';
import { isModelled } from '../models/models.js';
import { factByProperty, factBySchema } from './schemas.js';

/** Entry point of the analysis: a tool, resource, resource template or prompt, with its handler. */
export interface ToolEntry {
  readonly kind: Registration['kind'];
  readonly name: string;
  readonly description: string;
  readonly handler: FunctionValue;
  readonly schema: InputSchema | undefined;
  /** The handler dispatches on the tool name (`tools/call`). */
  readonly isDispatcher: boolean;
  /** The handler receives the raw JSON-RPC message (no SDK). */
  readonly isByHand?: boolean | undefined;
  /** The tool is annotated as one that changes nothing. */
  readonly isReadOnly?: boolean | undefined;
  /** Outermost decorator wrapper: it receives the arguments first and may check them. */
  readonly wrapper?: FunctionValue | undefined;
  /** A further function that may handle the tool: the tool itself is registered once. */
  readonly isFurther?: boolean | undefined;
  /** Method of the raw message; `tools/call` by default. */
  readonly method?: string | undefined;
}

/** Arguments of a handler call. */
export interface HandlerArguments {
  readonly positional: readonly Fact[];
  readonly named: ReadonlyMap<string, Fact>;
}

/** Sources: the arguments an MCP framework passes to a handler, tainted where the caller controls them. */
export function callerArguments(entry: ToolEntry): HandlerArguments {
  const { handler } = entry;
  const params = handler.fn.params;
  const isPython = handler.module.language === 'python';
  const whole: Taint = taintOf(anyParam, handler, params[0]);
  if (entry.isDispatcher) return { positional: dispatcherArguments(entry, whole, isPython), named: new Map() };
  if (isPython) return { positional: [], named: pythonArguments(entry) };
  const fact = factBySchema(entry.kind === 'tool' || entry.kind === 'prompt' ? entry.schema : undefined, whole);
  if (entry.kind === 'template' || entry.kind === 'resource') {
    const uri: Fact = { taints: [{ ...whole, origin: { ...whole.origin, param: 'uri' }, whole: false }] };
    // Resource handlers receive the URI and its template variables.
    return {
      positional: [
        {
          taints: [],
          fields: new Map([
            ['href', uri],
            ['pathname', uri],
            ['searchParams', uri],
            ['toString', uri],
          ]),
        },
        { taints: [whole] },
      ],
      named: new Map(),
    };
  }
  return {
    positional: [
      wrapsArguments(entry) ? { taints: [], fields: new Map([['context', fact]]) } : fact,
      {
        taints: [],
        fields: new Map([
          ['args', fact],
          ['arguments', fact],
        ]),
      },
    ],
    named: new Map(),
  };
}

/** Whether a handler takes `{ context }`, the arguments inside of an object, as tools of Mastra do. */
const wrapsArguments = ({ handler, schema }: ToolEntry): boolean => {
  const [first] = handler.fn.params;
  return (
    first?.target.kind === 'dict-pattern' &&
    schema?.properties['context'] === undefined &&
    first.target.entries.some(({ key }) => key.kind === 'literal' && key.value === 'context')
  );
};

const taintOf = (param: string, handler: FunctionValue, at: Param | undefined): Taint => ({
  origin: { param, at: { module: handler.module, spot: at ?? handler.fn } },
  trace: undefined,
  safe: 0,
  isChecked: false,
  whole: true,
});

const methodFact = (isReader: boolean): Fact => ({
  taints: [],
  value: constant(isReader ? 'resources/read' : 'tools/call'),
});

/** Arguments of a dispatcher. The tool name is a constant, so that only the branch of this tool is analysed. */
function dispatcherArguments(entry: ToolEntry, whole: Taint, isPython: boolean): readonly Fact[] {
  const name: Fact = { taints: [], value: constant(entry.name) };
  const args: Fact = isPython ? factBySchema(entry.schema, whole) : { taints: [whole] };
  const isReader = entry.kind === 'resource';
  const uri: Fact = { taints: [{ ...whole, origin: { ...whole.origin, param: 'uri' } }] };
  const fields: [string, Fact][] = isReader
    ? [['uri', uri]]
    : [
        ['name', name],
        ['arguments', args],
      ];
  const params: Fact = { taints: [], fields: new Map(fields) };
  const request: Fact = {
    taints: [],
    fields: new Map([...fields, ['params', params], ['method', methodFact(isReader)]]),
  };
  if (entry.isByHand) return rawMessageArguments(entry, messageOf(entry), params);
  if (!isPython) return [request, { taints: [] }];
  const count = entry.handler.fn.params.filter(
    (param) => param.target.kind === 'name' && !/^(?:self|cls)$/.test(param.target.name),
  ).length;
  const first = entry.handler.fn.params[0];
  if (isReader && count === 1) return [uri];
  const isRequest = count === 1 || (first?.target.kind === 'name' && /^(?:ctx|context)$/.test(first.target.name));
  return isRequest ? (count === 1 ? [request] : [{ taints: [] }, request]) : [name, args];
}

/** The JSON-RPC message that calls a tool: method and tool name are known, everything else is present and the caller's. */
export function messageOf(entry: ToolEntry): Fact {
  const whole = taintOf(anyParam, entry.handler, entry.handler.fn.params[0]);
  const args = factBySchema(entry.schema, whole);
  const params: Fact = {
    taints: [whole],
    fields: new Map<string, Fact>([
      ['name', { taints: [], value: constant(entry.name) }],
      ['arguments', { ...args, taints: [whole] }],
    ]),
  };
  return {
    taints: [whole],
    fields: new Map<string, Fact>([
      ['jsonrpc', { taints: [], value: constant('2.0') }],
      ['id', { taints: [], value: constant(1) }],
      ['method', entry.method === undefined ? methodFact(false) : { taints: [], value: constant(entry.method) }],
      ['params', params],
    ]),
  };
}

/** Arguments of a hand-written JSON-RPC handler: the message, or its method and params. */
function rawMessageArguments({ handler, method }: ToolEntry, request: Fact, params: Fact): readonly Fact[] {
  const messageParams = request.fields?.get('params') ?? params;
  const body: Fact = { ...request, fields: new Map([...(request.fields ?? []), ['body', request], ['json', request]]) };
  const names = handler.fn.params.flatMap(({ target }) => (target.kind === 'name' ? [target.name] : ['']));
  const own = names.filter((name, at) => at > 0 || !/^(?:self|cls)$/.test(name));
  const isApart = own.includes('method');
  return own.map((name, at) => {
    if (name === 'method') return method === undefined ? methodFact(false) : { taints: [], value: constant(method) };
    if (name.startsWith('param')) return messageParams;
    if (name === 'id') return { taints: [], value: constant(1) };
    return at === 0 && !isApart ? body : { taints: [] };
  });
}

function pythonArguments(entry: ToolEntry): ReadonlyMap<string, Fact> {
  const { handler, schema } = entry;
  const found = new Map<string, Fact>();
  const isMethod = handler.self !== undefined || handler.home !== undefined;
  handler.fn.params.forEach((param, at) => {
    if (param.target.kind !== 'name' || param.rest) return;
    const { name } = param.target;
    if (at === 0 && isMethod && /^(?:self|cls)$/.test(name)) return;
    const type = param.annotation
      ? (dottedName(param.annotation.kind === 'binary' ? param.annotation.left : param.annotation) ?? '')
      : '';
    if (isModelled('supplied-type', type) || ((name === 'ctx' || name === 'context') && type === '')) return;
    if (isInjected(param)) return;
    found.set(
      name,
      safeByPythonType(param) === allSafe
        ? { taints: [], name: callerScalarName }
        : factByProperty(schema?.properties[name], taintOf(name, handler, param)),
    );
  });
  return found;
}

/** Whether the framework injects the parameter (dependency injection): not a source. */
const isInjected = (param: Param): boolean =>
  param.default?.kind === 'call' && isModelled('injected', dottedName(param.default) ?? '');

function safeByPythonType(param: Param): number {
  const at = param.annotation;
  if (!at) return 0;
  const name = dottedName(at) ?? '';
  if (isModelled('plain-type', name)) return allSafe;
  return at.kind === 'index' && dottedName(at.object) === 'Literal' ? allSafe : 0;
}
