import type { JsonObject } from '../../../core/json.js';
import type { Prompt, Resource, ResourceTemplate } from '../../../core/prompt.js';
import type { Effects, Tool } from '../../../core/tool.js';
import type { Features } from '../../../wire/versions.js';

/** Tool annotations derived from the declared effects. */
const effectHints = (effects: Effects): JsonObject => ({
  readOnlyHint: !effects.writes && !effects.destroys,
  destructiveHint: effects.destroys,
  idempotentHint: effects.idempotent,
  openWorldHint: effects.openWorld,
});

/** Items with a title, which older revisions do not show. */
interface TitledItem {
  readonly title?: string;
  readonly meta?: JsonObject;
}

/** `title` and `_meta`, which revisions before 2025-06-18 do not have. */
const titleAndMeta = ({ title, meta }: TitledItem, features: Features): JsonObject =>
  features.structured ? { ...(title !== undefined && { title }), ...(meta && { _meta: meta }) } : {};

/** Converts a tool to its `tools/list` entry in one revision. */
export function toToolDefinition(tool: Tool, features: Features): JsonObject {
  const output = tool.output?.schema;
  return {
    // First, so that an unknown field of an upstream can never replace one of ours.
    ...tool.extra,
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input.schema,
    // Before 2026-07-28 an output schema must describe an object.
    ...(output && features.structured && (features.anyData || output['type'] === 'object') && { outputSchema: output }),
    ...(features.toolAnnotations && {
      annotations: {
        ...(tool.title !== undefined && { title: tool.title }),
        // The source's own statement is shown as its claim; policy uses the vouched effects.
        ...effectHints(tool.claimedEffects ?? tool.effects),
        ...tool.annotations,
      },
    }),
    // Only revisions with core tasks define `execution`.
    ...(features.coreTasks && tool.tasks && { execution: { taskSupport: tool.tasks } }),
    ...titleAndMeta(tool, features),
  };
}

/** Converts a prompt to its `prompts/list` entry in one revision. */
export function toPromptDefinition(prompt: Prompt, features: Features): JsonObject {
  return {
    ...prompt.extra,
    name: prompt.name,
    ...(prompt.description !== undefined && { description: prompt.description }),
    ...(prompt.arguments && {
      arguments: prompt.arguments.map(({ title, ...argument }) => ({
        ...argument,
        ...(features.structured && title !== undefined && { title }),
      })),
    }),
    ...titleAndMeta(prompt, features),
  };
}

/** Fields shared by resources and templates. */
const resourceFields = (resource: Resource | ResourceTemplate, features: Features): JsonObject => ({
  ...resource.extra,
  name: resource.name,
  ...(resource.description !== undefined && { description: resource.description }),
  ...(resource.mimeType !== undefined && { mimeType: resource.mimeType }),
  ...(resource.annotations && { annotations: resource.annotations }),
  ...titleAndMeta(resource, features),
});

/** Converts a resource to its `resources/list` entry in one revision. */
export const toResourceDefinition = (resource: Resource, features: Features): JsonObject => ({
  ...resourceFields(resource, features),
  uri: resource.uri,
  ...(resource.size !== undefined && { size: resource.size }),
});

/** Converts a template to its `resources/templates/list` entry in one revision. */
export const toTemplateDefinition = (template: ResourceTemplate, features: Features): JsonObject => ({
  ...resourceFields(template, features),
  uriTemplate: template.uriTemplate,
});
