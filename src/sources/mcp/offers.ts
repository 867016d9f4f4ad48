import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Complete, Prompt, Resource, ResourceTemplate } from '../../core/prompt.js';
import type { Tool } from '../../core/tool.js';
import { namespaced } from '../../registry/naming.js';
import { isObject } from '../../wire/message.js';
import { paramHeaders, toParamHeaders } from '../../wire/param-headers.js';
import { extraOf, plainData, shown, toTool } from './definitions.js';
import type { Item, Naming } from './definitions.js';
import { callOutcome, dataOutcome } from './outcomes.js';
import type { Relay } from './relay.js';
import { templateMatcher } from './template-matcher.js';

/** What offered things need of their source. */
export interface Offering extends Naming {
  readonly relay: Pick<Relay, 'run'>;
  readonly complete: (
    ref: JsonObject,
    argument: string,
    value: string,
    context: Readonly<Record<string, string>>,
    call: Call,
  ) => ReturnType<Complete>;
  readonly watch?: (uri: string, changed: () => void) => () => void;
}

const words = (definition: JsonObject, field: string, max: number): string | undefined => {
  const value = definition[field];
  return typeof value === 'string' ? shown(value, max) : undefined;
};

const describedFields = new Set([
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

function described(definition: JsonObject): {
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly meta?: JsonObject;
  readonly annotations?: JsonObject;
  readonly extra?: JsonObject;
} {
  const title = words(definition, 'title', 256);
  const description = words(definition, 'description', 16_384);
  const mimeType = words(definition, 'mimeType', 128);
  const { _meta, annotations } = definition;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(isObject(_meta) && { meta: plainData(_meta) }),
    ...(isObject(annotations) && { annotations: plainData(annotations) }),
    ...extraOf(definition, describedFields),
  };
}

/** The tool offered for an item; its arguments go on as they passed the guards. */
export function offerTool(item: Item, offering: Offering): Tool {
  const schema = item.definition['inputSchema'];
  const declared = (isObject(schema) && paramHeaders(schema)) || [];
  return toTool(item, offering, (call) =>
    offering.relay.run(call, {
      method: 'tools/call',
      params: { name: item.name, arguments: call.args },
      ...(declared.length > 0 && { headers: toParamHeaders(declared, call.args) }),
      read: callOutcome,
    }),
  );
}

export function offerPrompt({ name, definition }: Item, { source, prefix, relay, complete }: Offering): Prompt {
  const { arguments: given } = definition;
  const list = Array.isArray(given) ? given.filter(isObject) : undefined;
  const { title, description, meta, extra } = described(definition);
  return {
    name: namespaced(prefix, name),
    source,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(meta && { meta }),
    ...(extra && { extra }),
    ...(list && {
      arguments: list.map((argument) => ({
        // Checked by readItem to be there and a text.
        name: String(argument['name']),
        ...(typeof argument['title'] === 'string' && { title: shown(argument['title'], 256) }),
        ...(typeof argument['description'] === 'string' && { description: shown(argument['description'], 4_096) }),
        ...(typeof argument['required'] === 'boolean' && { required: argument['required'] }),
      })),
    }),
    openWorld: true,
    complete: (argument, value, context, call) =>
      complete({ type: 'ref/prompt', name }, argument, value, context, call),
    get: (call) =>
      relay.run(call, {
        method: 'prompts/get',
        params: { name, arguments: call.args },
        read: (result) => dataOutcome(result, 'messages'),
      }),
  };
}

const read = (relay: Offering['relay']) => (call: Call) =>
  relay.run(call, {
    method: 'resources/read',
    params: { uri: call.args['uri'] },
    read: (result) => dataOutcome(result, 'contents'),
  });

export function offerResource({ name, definition }: Item, { source, relay, watch }: Offering): Resource {
  const { size } = definition;
  return {
    uri: name,
    name: words(definition, 'name', 256) ?? name,
    source,
    ...described(definition),
    ...(typeof size === 'number' && { size }),
    openWorld: true,
    read: read(relay),
    ...(watch && { watch: (changed) => watch(name, changed) }),
  };
}

export function offerTemplate(
  { name, definition }: Item,
  { source, relay, complete, watch }: Offering,
): ResourceTemplate {
  return {
    uriTemplate: name,
    name: words(definition, 'name', 256) ?? name,
    source,
    ...described(definition),
    matches: templateMatcher(name),
    openWorld: true,
    complete: (argument, value, context, call) =>
      complete({ type: 'ref/resource', uri: name }, argument, value, context, call),
    read: read(relay),
    ...(watch && { watch }),
  };
}
