import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { sharedPath } from './shared.js';

type Loose = ReturnType<typeof JSON.parse>;
interface Published {
  readonly has: (name: string) => boolean;
  readonly problems: (name: string, value: unknown) => string | undefined;
}

const loaded = new Map<string, Published | undefined>();

function published(version: string): Published | undefined {
  if (loaded.has(version)) return loaded.get(version);
  const path = sharedPath(`spec/mcp-${version}.schema.json`);
  let found: Published | undefined;
  if (path !== undefined) {
    const schema: Loose = JSON.parse(readFileSync(path, 'utf8'));
    const defs = schema.$defs ? '$defs' : 'definitions';
    const { $schema: _, ...rest } = schema;
    const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
    ajv.addSchema({ ...rest, $id: version });
    found = {
      has: (name) => schema[defs][name] !== undefined,
      problems(name, value) {
        const validate = ajv.getSchema(`${version}#/${defs}/${name}`);
        if (!validate) throw new Error(`${version} has no ${name}`);
        return validate(value)
          ? undefined
          : `${name} of ${version}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 600)}`;
      },
    };
  }
  loaded.set(version, found);
  return found;
}

const results: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  'server/discover': 'DiscoverResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'completion/complete': 'CompleteResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'resources/subscribe': 'EmptyResult',
};

/** Throws unless a message that we sent is valid by the published schema of its version; `method` is what it answers. */
export function checked(version: string, message: Loose, method?: string): void {
  const schema = published(version);
  if (schema === undefined || message === undefined) return;
  const modern = version >= '2026';
  const complain = (name: string, value: unknown): void => {
    const problem = schema.has(name) ? schema.problems(name, value) : undefined;
    if (problem !== undefined) throw new Error(problem);
  };
  if (message.method !== undefined) {
    // Task notifications are an extension, which the core schema does not know.
    if (message.method === 'notifications/tasks') return;
    if (message.id === undefined) complain('ServerNotification', message);
    else complain('ServerRequest', message);
    return;
  }
  if (message.error !== undefined) {
    // An id that could not be read is null by JSON-RPC, which the older schemas forgot.
    if (message.id !== null)
      complain(schema.has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError', message);
    return;
  }
  complain(schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse', message);
  const { result } = message;
  if (result.resultType === 'task' || result.task !== undefined) return;
  if (modern && result.resultType === 'input_required') return complain('InputRequiredResult', result);
  const name = results[method ?? ''];
  if (name !== undefined) complain(name, result);
}
