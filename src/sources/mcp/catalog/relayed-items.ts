import type { GuardedCall } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import type { Complete, Prompt, Resource, ResourceTemplate } from '../../../core/prompt.js';
import type { Subscribe } from '../../../core/subscription.js';
import type { Tool } from '../../../core/tool.js';
import { toNamespacedName } from '../../../registry/naming.js';
import { isJsonObject } from '../../../wire/message.js';
import { paramHeaders, toParamHeaders } from '../../../wire/param-headers.js';
import { extraFields, cleanData, toDisplayText, toTool } from './definitions.js';
import type { CatalogItem, ItemNaming } from './definitions.js';
import { callOutcome, dataOutcome } from '../relay/outcomes.js';
import type { Relay } from '../relay/relay.js';
import { templateMatcher } from './uri-template.js';
import { forwardedMeta } from '../relay/forwarded-meta.js';

/** What the items of a source need to relay calls. */
export interface ItemContext extends ItemNaming {
  readonly relay: Pick<Relay, 'run'>;
  readonly complete: (
    ref: JsonObject,
    argument: string,
    value: string,
    context: Readonly<Record<string, string>>,
    call: GuardedCall,
  ) => ReturnType<Complete>;
  readonly subscribe?: Subscribe;
  /** Number of the latest recovery of the server. */
  readonly recovery?: () => number;
}

/** A text of a definition for people: cleaned and cut. */
const displayField = (definition: JsonObject, field: string, max: number): string | undefined => {
  const value = definition[field];
  return typeof value === 'string' ? toDisplayText(value, max) : undefined;
};

/** Fields that are converted; all others are passed through as they are. */
const knownItemFields = new Set([
  'name',
  'uri',
  'uriTemplate',
  'title',
  'description',
  'mimeType',
  '_meta',
  'annotations',
  'size',
  'arguments',
]);

/** Texts, type and metadata of a definition, cleaned. */
function descriptiveFields(definition: JsonObject): {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly meta?: JsonObject;
  readonly annotations?: JsonObject;
  readonly extra?: JsonObject;
} {
  const title = displayField(definition, 'title', 256);
  const description = displayField(definition, 'description', 16_384);
  const mimeType = displayField(definition, 'mimeType', 128);
  const { _meta, annotations } = definition;
  const meta = forwardedMeta(_meta);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(meta && { meta: cleanData(meta) }),
    ...(isJsonObject(annotations) && { annotations: cleanData(annotations) }),
    ...extraFields(definition, knownItemFields),
  };
}

/** Builds the tool of an item; arguments are forwarded as the guards passed them. */
export function toRelayedTool(item: CatalogItem, context: ItemContext): Tool {
  const schema = item.definition['inputSchema'];
  const headerParams = (isJsonObject(schema) && paramHeaders(schema)) || [];
  const { execution } = item.definition;
  // Some servers run a tool only as a task; the relay then waits for its result.
  const requiresTask = isJsonObject(execution) && execution['taskSupport'] === 'required';
  const tool = toTool(item, context, (call) =>
    context.relay.run(call, {
      method: 'tools/call',
      params: { name: item.name, arguments: call.args },
      ...(headerParams.length > 0 && { headers: toParamHeaders(headerParams, call.args) }),
      ...(requiresTask && { requiresTask }),
      toOutcome: callOutcome,
    }),
  );
  return context.recovery ? { ...tool, recovery: context.recovery } : tool;
}

/** Builds the prompt of an item. */
export function toRelayedPrompt(
  { name, definition }: CatalogItem,
  { source, prefix, relay, complete }: ItemContext,
): Prompt {
  const { arguments: given } = definition;
  const list = Array.isArray(given) ? given.filter(isJsonObject) : undefined;
  const { title, description, meta, extra } = descriptiveFields(definition);
  return {
    name: toNamespacedName(prefix, name),
    source,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(meta && { meta }),
    ...(extra && { extra }),
    ...(list && {
      arguments: list.map((argument) => ({
        // Checked by parseItem to be a string.
        name: String(argument['name']),
        ...(typeof argument['title'] === 'string' && { title: toDisplayText(argument['title'], 256) }),
        ...(typeof argument['description'] === 'string' && {
          description: toDisplayText(argument['description'], 4_096),
        }),
        ...(typeof argument['required'] === 'boolean' && { required: argument['required'] }),
      })),
    }),
    // The content comes from a server that the gateway does not control.
    openWorld: true,
    complete: (argument, value, context, call) =>
      complete({ type: 'ref/prompt', name }, argument, value, context, call),
    get: (call) =>
      relay.run(call, {
        method: 'prompts/get',
        params: { name, arguments: call.args },
        toOutcome: (result) => dataOutcome(result, 'messages'),
      }),
  };
}

/** Reads a resource by relaying the request. */
const readResource = (relay: ItemContext['relay']) => (call: GuardedCall) =>
  relay.run(call, {
    method: 'resources/read',
    params: { uri: call.args['uri'] },
    toOutcome: (result) => dataOutcome(result, 'contents'),
  });

/** Builds the resource of an item. */
export function toRelayedResource(
  { name, definition }: CatalogItem,
  { source, relay, subscribe }: ItemContext,
): Resource {
  const { size } = definition;
  return {
    uri: name,
    name: displayField(definition, 'name', 256) ?? name,
    source,
    ...descriptiveFields(definition),
    ...(typeof size === 'number' && { size }),
    openWorld: true,
    read: readResource(relay),
    ...(subscribe && { subscribe }),
  };
}

/** Builds the resource template of an item. */
export function toRelayedTemplate(
  { name, definition }: CatalogItem,
  { source, relay, complete, subscribe }: ItemContext,
): ResourceTemplate {
  return {
    uriTemplate: name,
    name: displayField(definition, 'name', 256) ?? name,
    source,
    ...descriptiveFields(definition),
    matches: templateMatcher(name),
    openWorld: true,
    complete: (argument, value, context, call) =>
      complete({ type: 'ref/resource', uri: name }, argument, value, context, call),
    read: readResource(relay),
    ...(subscribe && { subscribe }),
  };
}
