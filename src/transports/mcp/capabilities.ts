import type { JsonObject } from '../../core/json.js';
import type { Ask } from '../../core/outcome.js';
import { isObject } from '../../wire/message.js';
import { tasksExtension } from '../../wire/meta.js';
import type { Features } from '../../wire/versions.js';

const lists: JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
};

/** What this server says it can do, in the words of one revision. */
export function serverCapabilities(features: Features): JsonObject {
  if (features.modern) return { ...lists, completions: {}, extensions: { [tasksExtension]: {} } };
  return {
    ...lists,
    ...(features.completions && { completions: {} }),
    ...(features.coreTasks && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
  };
}

/** What a client would have had to declare for this question. */
export function requiredFor(ask: Ask): JsonObject {
  if (ask.method === 'sampling/createMessage')
    return { sampling: ask.params['tools'] === undefined ? {} : { tools: {} } };
  if (ask.method === 'roots/list') return { roots: {} };
  return { elicitation: ask.params['mode'] === 'url' ? { url: {} } : { form: {} } };
}

/** Whether a client with these capabilities may be asked this. */
export function canAsk(ask: Ask, capabilities: JsonObject, features: Features): boolean {
  const { elicitation, sampling, roots } = capabilities;
  if (ask.method === 'roots/list') return isObject(roots);
  if (ask.method === 'sampling/createMessage')
    return isObject(sampling) && (ask.params['tools'] === undefined || isObject(sampling['tools']));
  if (!isObject(elicitation) || !features.elicitation) return false;
  if (ask.params['mode'] === 'url') return features.urlElicitation && isObject(elicitation['url']);
  // An empty declaration means forms, as it did before there was another mode.
  return isObject(elicitation['form']) || elicitation['url'] === undefined;
}

/** Whether a modern client declared the tasks extension on this request. */
export function declaresTasks(capabilities: JsonObject): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}
