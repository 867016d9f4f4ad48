import type { Handler, Effects, Limits, Tool } from '../../core/tool.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Pen } from '../../core/outcome-text.js';
import { rewriteData } from '../../core/outcome-text.js';
import { clean } from '../../hostile-text/clean.js';
import { namespaced } from '../../registry/naming.js';
import { isObject } from '../../wire/message.js';
import { paramHeaders } from '../../wire/param-headers.js';
import { strangersContract } from './contract.js';

/** The kinds of things a server offers. */
export type ItemKind = 'tool' | 'prompt' | 'resource' | 'template';

/** One thing a server offers, readable enough to be offered on. */
export interface Item {
  readonly kind: ItemKind;
  /** Its name or address at the server. */
  readonly name: string;
  /** The whole definition as the server gave it. */
  readonly definition: JsonObject;
}

export interface Malformed {
  readonly what: string;
  readonly why: string;
}

const maxName = 256;
const maxDescription = 16_384;
const maxSchemaBytes = 262_144;
const nameField: Readonly<Record<ItemKind, string>> = {
  tool: 'name',
  prompt: 'name',
  resource: 'uri',
  template: 'uriTemplate',
};

/** Takes an entry for what it is, or says what is wrong with it; its siblings are not affected. */
export function readItem(kind: ItemKind, definition: JsonObject): Item | Malformed {
  const name = definition[nameField[kind]];
  if (
    typeof name !== 'string' ||
    name === '' ||
    name.length > (kind === 'tool' || kind === 'prompt' ? maxName : 4_096)
  ) {
    return { what: `a ${kind} without a usable ${nameField[kind]}`, why: `${nameField[kind]} must be a short text` };
  }
  const why = problemOf(kind, name, definition);
  return why === undefined ? { kind, name, definition } : { what: shown(name), why };
}

function problemOf(kind: ItemKind, name: string, definition: JsonObject): string | undefined {
  if (kind === 'tool') return toolProblem(definition);
  if (kind === 'prompt') return promptProblem(definition);
  // A pattern without a scheme of its own would catch what is meant for any other source.
  return kind === 'template' && !/^[a-z][a-z0-9+.-]*:/i.test(name) ? 'uriTemplate has no scheme of its own' : undefined;
}

/** A stranger's text for people: nothing hidden in it, and not too much of it. */
export const shown = (text: string, max = 128): string => clean(text).text.replaceAll(/\s+/g, ' ').slice(0, max);

function toolProblem({ inputSchema, outputSchema, description, annotations }: JsonObject): string | undefined {
  if (!isObject(inputSchema)) return 'inputSchema is not an object';
  const type = inputSchema['type'];
  if (type !== undefined && type !== 'object') return 'inputSchema is not the schema of an object';
  if (description !== undefined && typeof description !== 'string') return 'description is not a text';
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'outputSchema is not an object';
  if (annotations !== undefined && !isObject(annotations)) return 'annotations is not an object';
  if (JSON.stringify(inputSchema).length + JSON.stringify(outputSchema ?? null).length > maxSchemaBytes)
    return `its schemas are larger than ${maxSchemaBytes} bytes`;
  if (paramHeaders(inputSchema) === undefined) return 'x-mcp-header is used against its rules';
  return undefined;
}

function promptProblem({ arguments: given }: JsonObject): string | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) return 'arguments is not a list';
  return given.every((argument) => isObject(argument) && typeof argument['name'] === 'string')
    ? undefined
    : 'an argument has no name';
}

const flag = (annotations: JsonObject, name: string, otherwise: boolean): boolean => {
  const value = annotations[name];
  return typeof value === 'boolean' ? value : otherwise;
};

/** What a server says its tool does; where it says nothing, the worst. */
export function effectsOf(annotations: JsonObject, remote = false): Effects {
  const readOnly = flag(annotations, 'readOnlyHint', false);
  return {
    reads: true,
    writes: !readOnly,
    destroys: !readOnly && flag(annotations, 'destructiveHint', true),
    idempotent: readOnly || flag(annotations, 'idempotentHint', false),
    // Whatever a server elsewhere says of its tool: what is sent to it has left this machine.
    openWorld: remote || flag(annotations, 'openWorldHint', true),
    labels: ['upstream'],
  };
}

const textOf = (value: Json | undefined, max: number): string | undefined =>
  typeof value === 'string' ? clean(value).text.slice(0, max) : undefined;

/** How things of one source are named and bounded. */
export interface Naming {
  readonly source: string;
  /** Absent where names are offered as they are. */
  readonly prefix?: string;
  readonly limits: Limits;
  /** What the source really is, whatever it is called. */
  readonly identity: string;
  /** Whether it runs elsewhere. */
  readonly remote?: boolean;
}

const plainText: Pen = { text: (value) => clean(value).text, fits: () => true, weigh: () => true, cut: () => {} };
const maxExtraBytes = 16_384;

/** What a definition holds beside its schemas, without what is hidden in it. */
export const plainData = (data: JsonObject): JsonObject => rewriteData(data, plainText) as JsonObject; // types never change

/** The fields of a definition that nobody here knows, without what is hidden in them; too much of them is left out. */
export function extraOf(definition: JsonObject, known: ReadonlySet<string>): { readonly extra?: JsonObject } {
  const rest = Object.entries(definition).filter(([key]) => !known.has(key) && key !== '__proto__');
  if (rest.length === 0 || JSON.stringify(rest).length > maxExtraBytes) return {};
  return { extra: plainData(Object.fromEntries(rest)) };
}

const toolFields = new Set([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  '_meta',
  'execution',
]);

/** The tool that is offered for an upstream tool. */
export function toTool(
  { name, definition }: Item,
  { source, prefix, limits, identity, remote = false }: Naming,
  run: Handler,
): Tool {
  const { title, description, inputSchema, outputSchema, annotations, _meta } = definition;
  const hints = isObject(annotations) ? annotations : {};
  const titled = textOf(title, 256) ?? textOf(hints['title'], 256);
  // Read by readItem, which let only objects through.
  const input = inputSchema as JsonObject;
  return {
    name: namespaced(prefix, name),
    source,
    description: textOf(description, maxDescription) ?? '',
    input: strangersContract(input['type'] === undefined ? { type: 'object', ...input } : input),
    effects: effectsOf(hints, remote),
    limits,
    annotations: plainData(hints),
    // The gateway keeps the task; the server sees a plain call.
    tasks: 'optional',
    lightSignal: true,
    details: { upstream: name, identity },
    ...(titled !== undefined && { title: titled }),
    ...(isObject(outputSchema) && { output: { schema: outputSchema } }),
    ...(isObject(_meta) && { meta: plainData(_meta) }),
    ...extraOf(definition, toolFields),
    run,
  };
}
