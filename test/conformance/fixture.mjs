import { accepted, ask, done, form, png, text } from './content.mjs';
import { toolTable } from './tools.mjs';

const limits = {
  timeoutMs: 30_000,
  maxTimeoutMs: 60_000,
  concurrency: 64,
  queue: 64,
  queueTimeoutMs: 10_000,
  ratePerMinute: 0,
  maxOutputBytes: 1_048_576,
};
const effects = { reads: true, writes: false, destroys: false, idempotent: true, openWorld: false, labels: [] };
const source = 'conformance';
const string = { type: 'string' };

const message = (content) => ({ role: 'user', content: typeof content === 'string' ? text(content) : content });
const messages = (...all) => done([], { messages: all.map(message) });
const contents = (uri, fields) => done([], { contents: [{ uri, ...fields }] });

const prompts = [
  { name: 'test_simple_prompt', get: () => messages('This is a simple prompt for testing.') },
  {
    name: 'test_prompt_with_arguments',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: ({ args }) => messages(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`),
    complete: async (_argument, value) => ({
      values: ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
      total: 3,
      hasMore: false,
    }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    arguments: [{ name: 'resourceUri', description: 'Address of the resource to embed', required: true }],
    get: ({ args }) =>
      messages(
        {
          type: 'resource',
          resource: { uri: args.resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        'Please process the embedded resource above.',
      ),
  },
  {
    name: 'test_prompt_with_image',
    get: () => messages({ type: 'image', data: png, mimeType: 'image/png' }, 'Please analyze the image above.'),
  },
  {
    name: 'test_input_required_result_prompt',
    get: (call) => {
      const answer = accepted(call, 'user_context');
      return answer
        ? messages(`Use this context: ${answer.context}`)
        : ask({ user_context: form('What context should the prompt use?', { context: string }) });
    },
  },
];

const resources = [
  {
    uri: 'test://static-text',
    name: 'static-text',
    mimeType: 'text/plain',
    read: () =>
      contents('test://static-text', {
        mimeType: 'text/plain',
        text: 'This is the content of the static text resource.',
      }),
  },
  {
    uri: 'test://static-binary',
    name: 'static-binary',
    mimeType: 'image/png',
    read: () => contents('test://static-binary', { mimeType: 'image/png', blob: png }),
  },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    mimeType: 'text/plain',
    read: () => contents('test://watched-resource', { mimeType: 'text/plain', text: 'Watched' }),
    subscribe: async () => () => {},
  },
];

const pattern = /^test:\/\/template\/([^/]+)\/data$/;
const templates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    mimeType: 'application/json',
    matches: (uri) => pattern.test(uri),
    read: ({ args }) => {
      const id = pattern.exec(args.uri)?.[1];
      return contents(args.uri, {
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      });
    },
  },
];

/** The source that the conformance scenarios expect, written from their descriptions. */
export function conformanceSource(schemaContract) {
  const listeners = new Set();
  let extraTools = 0;
  let extraPrompts = 0;
  const tool = ({ name, schema, run, tasks }) => ({
    name,
    source,
    limits,
    effects,
    description: `Fixture ${name}`,
    input: schemaContract(schema),
    ...(tasks && { tasks }),
    run: async (call) => run(call),
  });
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const nothing = { type: 'object' };
  const triggers = [
    {
      name: 'test_trigger_tool_change',
      schema: nothing,
      run: () => {
        extraTools += 1;
        changed();
        return done('Changed');
      },
    },
    {
      name: 'test_trigger_prompt_change',
      schema: nothing,
      run: () => {
        extraPrompts += 1;
        changed();
        return done('Changed');
      },
    },
  ].map(tool);
  const fixed = [...toolTable.map(tool), ...triggers];
  const described = (item) => ({ description: `Fixture ${item.name}`, source, ...item });
  const asynchronous = (field) => (item) => ({ ...described(item), [field]: async (call) => item[field](call) });
  const fixedPrompts = prompts.map(asynchronous('get'));
  const fixedResources = resources.map(asynchronous('read'));
  const fixedTemplates = templates.map(asynchronous('read'));

  return {
    id: source,
    list: async () => [
      ...fixed,
      ...(extraTools % 2 ? [tool({ name: 'test_extra_tool', schema: nothing, run: () => done('Extra') })] : []),
    ],
    prompts: async () => [
      ...fixedPrompts,
      ...(extraPrompts % 2 ? [asynchronous('get')({ name: 'test_extra_prompt', get: () => messages('Extra') })] : []),
    ],
    resources: async () => fixedResources,
    templates: async () => fixedTemplates,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
