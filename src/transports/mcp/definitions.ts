import type { JsonObject } from '../../core/json.js';
import type { Prompt, Resource, ResourceTemplate } from '../../core/prompt.js';
import type { Effects, Tool } from '../../core/tool.js';
import type { Features } from '../../wire/versions.js';

const hints = (effects: Effects): JsonObject => ({
  readOnlyHint: !effects.writes && !effects.destroys,
  destructiveHint: effects.destroys,
  idempotentHint: effects.idempotent,
  openWorldHint: effects.openWorld,
});

interface Described {
  readonly title?: string;
  readonly meta?: JsonObject;
}

/** `title` and `_meta`, which older revisions do not know. */
const since2025June = ({ title, meta }: Described, features: Features): JsonObject =>
  features.structured ? { ...(title !== undefined && { title }), ...(meta && { _meta: meta }) } : {};

/** A tool as `tools/list` shows it in one revision. */
export function toToolDefinition(tool: Tool, features: Features): JsonObject {
  const output = tool.output?.schema;
  return {
    ...tool.extra,
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input.schema,
    ...(output && features.structured && (features.anyData || output['type'] === 'object') && { outputSchema: output }),
    ...(features.toolAnnotations && {
      annotations: {
        ...(tool.title !== undefined && { title: tool.title }),
        ...hints(tool.effects),
        ...tool.annotations,
      },
    }),
    ...(features.coreTasks && tool.tasks && { execution: { taskSupport: tool.tasks } }),
    ...since2025June(tool, features),
  };
}

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
    ...since2025June(prompt, features),
  };
}

const addressed = (resource: Resource | ResourceTemplate, features: Features): JsonObject => ({
  ...resource.extra,
  name: resource.name,
  ...(resource.description !== undefined && { description: resource.description }),
  ...(resource.mimeType !== undefined && { mimeType: resource.mimeType }),
  ...(resource.annotations && { annotations: resource.annotations }),
  ...since2025June(resource, features),
});

export const toResourceDefinition = (resource: Resource, features: Features): JsonObject => ({
  ...addressed(resource, features),
  uri: resource.uri,
  ...(resource.size !== undefined && { size: resource.size }),
});

export const toTemplateDefinition = (template: ResourceTemplate, features: Features): JsonObject => ({
  ...addressed(template, features),
  uriTemplate: template.uriTemplate,
});
