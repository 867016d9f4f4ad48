import type { JsonObject } from '../../core/json.js';
import type { Ask } from '../../core/outcome.js';
import { isJsonObject } from '../../wire/message.js';
import { tasksExtension } from '../../wire/meta.js';
import type { Features } from '../../wire/versions.js';

const listCapabilities: JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
};

/** Server capabilities in the format of one revision. */
export function serverCapabilities(features: Features): JsonObject {
  if (features.modern) return { ...listCapabilities, completions: {}, extensions: { [tasksExtension]: {} } };
  return {
    ...listCapabilities,
    ...(features.completions && { completions: {} }),
    ...(features.coreTasks && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
  };
}

/** Client capabilities that this question requires. */
export function requiredCapabilities(ask: Ask): JsonObject {
  if (ask.method === 'sampling/createMessage')
    return { sampling: ask.params['tools'] === undefined ? {} : { tools: {} } };
  if (ask.method === 'roots/list') return { roots: {} };
  return { elicitation: ask.params['mode'] === 'url' ? { url: {} } : { form: {} } };
}

/** Whether a client with these capabilities can answer this question. */
export function canAsk(ask: Ask, capabilities: JsonObject, features: Features): boolean {
  const { elicitation, sampling, roots } = capabilities;
  if (ask.method === 'roots/list') return isJsonObject(roots);
  if (ask.method === 'sampling/createMessage')
    return isJsonObject(sampling) && (ask.params['tools'] === undefined || isJsonObject(sampling['tools']));
  if (!isJsonObject(elicitation) || !features.elicitation) return false;
  if (ask.params['mode'] === 'url') return features.urlElicitation && isJsonObject(elicitation['url']);
  // An empty declaration means forms, the only mode before URL elicitation existed.
  return isJsonObject(elicitation['form']) || elicitation['url'] === undefined;
}

/** Whether a modern client declared the tasks extension on this request. */
export function declaresTasks(capabilities: JsonObject): boolean {
  const { extensions } = capabilities;
  return isJsonObject(extensions) && isJsonObject(extensions[tasksExtension]);
}
