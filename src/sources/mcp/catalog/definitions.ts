import { declareLimits } from '../../../core/limits.js';
import type { DeclaredLimits, Operation, Effects, Tool } from '../../../core/tool.js';
import { worstEffects } from '../../../core/tool.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { TextVisitor } from '../../../hostile-text/results/rewrite-content.js';
import { rewriteData } from '../../../hostile-text/results/rewrite-content.js';
import { clean } from '../../../hostile-text/clean.js';
import { toNamespacedName } from '../../../registry/naming.js';
import { isJsonObject } from '../../../wire/message.js';
import { paramHeaders } from '../../../wire/param-headers.js';
import { untrustedContract } from './input-contract.js';
import { forwardedMeta } from '../relay/forwarded-meta.js';

/** Kinds of items a server offers. */
export type CatalogItemKind = 'tool' | 'prompt' | 'resource' | 'template';

/** One valid item of a server. */
export interface CatalogItem {
  readonly kind: CatalogItemKind;
  /** Name or URI at the server. */
  readonly name: string;
  /** The complete definition as received. */
  readonly definition: JsonObject;
}

interface RejectedItem {
  readonly what: string;
  readonly why: string;
}

const maxName = 256;
const maxDescription = 16_384;
const maxSchemaBytes = 262_144;
const nameField: Readonly<Record<CatalogItemKind, string>> = {
  tool: 'name',
  prompt: 'name',
  resource: 'uri',
  template: 'uriTemplate',
};

/** Validates one list entry; a malformed entry does not affect its siblings. */
export function parseItem(kind: CatalogItemKind, definition: JsonObject): CatalogItem | RejectedItem {
  const name = definition[nameField[kind]];
  if (
    typeof name !== 'string' ||
    name === '' ||
    name.length > (kind === 'tool' || kind === 'prompt' ? maxName : 4_096)
  ) {
    return { what: `a ${kind} without a usable ${nameField[kind]}`, why: `${nameField[kind]} must be a short string` };
  }
  const why = itemProblem(kind, name, definition);
  return why === undefined ? { kind, name, definition } : { what: toDisplayText(name), why };
}

function itemProblem(kind: CatalogItemKind, name: string, definition: JsonObject): string | undefined {
  if (kind === 'tool') return toolProblem(definition);
  if (kind === 'prompt') return promptProblem(definition);
  // A template without a scheme would match URIs of every other source.
  return kind === 'template' && !/^[a-z][a-z0-9+.-]*:/i.test(name) ? 'uriTemplate has no scheme' : undefined;
}

/** Untrusted text for display: hidden characters removed, one line, bounded. */
export const toDisplayText = (text: string, max = 128): string =>
  clean(text).text.replaceAll(/\s+/g, ' ').slice(0, max);

function toolProblem({ inputSchema, outputSchema, description, annotations }: JsonObject): string | undefined {
  if (!isJsonObject(inputSchema)) return 'inputSchema is not an object';
  const type = inputSchema['type'];
  if (type !== undefined && type !== 'object') return 'inputSchema must describe an object';
  if (description !== undefined && typeof description !== 'string') return 'description is not a string';
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) return 'outputSchema is not an object';
  if (annotations !== undefined && !isJsonObject(annotations)) return 'annotations is not an object';
  if (JSON.stringify(inputSchema).length + JSON.stringify(outputSchema ?? null).length > maxSchemaBytes)
    return `its schemas are larger than ${maxSchemaBytes} bytes`;
  if (paramHeaders(inputSchema) === undefined) return 'x-mcp-header is not used as specified';
  return undefined;
}

function promptProblem({ arguments: given }: JsonObject): string | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) return 'arguments is not a list';
  return given.every((argument) => isJsonObject(argument) && typeof argument['name'] === 'string')
    ? undefined
    : 'an argument has no name';
}

const hintValue = (annotations: JsonObject, name: string, otherwise: boolean): boolean => {
  const value = annotations[name];
  return typeof value === 'boolean' ? value : otherwise;
};

const upstreamLabels = ['upstream'];

/** Effects that the annotations claim; a missing hint counts as the worst case. */
function effectsFromHints(annotations: JsonObject, remote = false): Effects {
  const readOnly = hintValue(annotations, 'readOnlyHint', false);
  return {
    reads: true,
    writes: !readOnly,
    destroys: !readOnly && hintValue(annotations, 'destructiveHint', true),
    idempotent: readOnly || hintValue(annotations, 'idempotentHint', false),
    // Arguments sent to a remote server leave this machine, whatever its hints claim.
    openWorld: remote || hintValue(annotations, 'openWorldHint', true),
    labels: upstreamLabels,
  };
}

const cleanText = (value: Json | undefined, max: number): string | undefined =>
  typeof value === 'string' ? clean(value).text.slice(0, max) : undefined;

/** Names and limits of the items of one source. */
export interface ItemNaming {
  readonly source: string;
  /** Absent if names are offered unchanged. */
  readonly prefix?: string;
  readonly limits: DeclaredLimits;
  /** Stable identity of the source (package, URL or command line), independent of its name. */
  readonly identity: string;
  /** Its program without arguments. */
  readonly program?: string;
  /** Whether it is reached over the network. */
  readonly remote?: boolean;
}

const cleaningVisitor: TextVisitor = {
  text: (value) => clean(value).text,
  reserve: () => true,
  charge: () => true,
  markTruncated: () => {},
};
const maxExtraBytes = 16_384;

/** Removes hidden characters from all strings of a value. */
export const cleanData = (data: JsonObject): JsonObject => rewriteData(data, cleaningVisitor) as JsonObject; // types never change

/** Unknown fields of a definition, cleaned; dropped if they are too large. */
export function extraFields(definition: JsonObject, known: ReadonlySet<string>): { readonly extra?: JsonObject } {
  const rest = Object.entries(definition).filter(([key]) => !known.has(key) && key !== '__proto__');
  if (rest.length === 0 || JSON.stringify(rest).length > maxExtraBytes) return {};
  return { extra: cleanData(Object.fromEntries(rest)) };
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

/** Builds the gateway tool for an upstream tool. */
export function toTool(
  { name, definition }: CatalogItem,
  { source, prefix, limits, identity, program, remote = false }: ItemNaming,
  run: Operation,
): Tool {
  const { title, description, inputSchema, outputSchema, annotations, _meta } = definition;
  const meta = forwardedMeta(_meta);
  const hints = isJsonObject(annotations) ? annotations : {};
  const displayTitle = cleanText(title, 256) ?? cleanText(hints['title'], 256);
  // Checked by parseItem to be an object.
  const input = inputSchema as JsonObject;
  return {
    name: toNamespacedName(prefix, name),
    source,
    description: cleanText(description, maxDescription) ?? '',
    input: untrustedContract(input['type'] === undefined ? { type: 'object', ...input } : input),
    // A malicious server declares `wipe` read-only and closed-world: its hints are shown, and count only if the operator vouches.
    effects: { ...worstEffects, labels: upstreamLabels },
    claimedEffects: effectsFromHints(hints, remote),
    ...declareLimits(limits),
    annotations: cleanData(hints),
    // The gateway runs the task; the server sees a plain call.
    tasks: 'optional',
    lightSignal: true,
    upstream: { name, identity, ...(program !== undefined && { program }) },
    ...(displayTitle !== undefined && { title: displayTitle }),
    ...(isJsonObject(outputSchema) && { output: { schema: outputSchema } }),
    ...(meta && { meta: cleanData(meta) }),
    ...extraFields(definition, toolFields),
    run,
  };
}
