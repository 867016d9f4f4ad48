import { createHmac, randomBytes } from 'node:crypto';
import { accepted, ask, done, form, pause, png, refuse, roots, sampling, text, wav } from './content.mjs';

const string = { type: 'string' };
const nothing = { type: 'object', properties: {}, additionalProperties: false };
const key = randomBytes(32);
const seal = (value) =>
  `${Buffer.from(value).toString('base64url')}.${createHmac('sha256', key).update(value).digest('base64url')}`;
/** The sealed value, or undefined where somebody changed it. */
const unseal = (state) => {
  const value = Buffer.from(state.split('.')[0] ?? '', 'base64url').toString();
  return seal(value) === state ? value : undefined;
};

const name = () => form('What is your name?', { name: string });
const embedded = {
  type: 'resource',
  resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
};

/** Tools that answer at once. */
const plain = {
  test_simple_text: () => done('This is a simple text response for testing.'),
  test_image_content: () => done([{ type: 'image', data: png, mimeType: 'image/png' }]),
  test_audio_content: () => done([{ type: 'audio', data: wav, mimeType: 'audio/wav' }]),
  test_embedded_resource: () => done([embedded]),
  test_multiple_content_types: () =>
    done([
      text('Multiple content types test:'),
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ]),
  test_error_handling: () => refuse('execution_failed', 'This tool intentionally returns an error for testing'),
};

/** Tools that say something while they run. */
const talking = {
  test_tool_with_logging: async (call) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      call.back?.log?.('info', line);
      await pause(50);
    }
    return done('Tool with logging executed successfully');
  },
  test_logging_tool: async (call) => {
    call.back?.log?.('info', 'A message at info level');
    return done('Logged where it was wanted');
  },
  test_tool_with_progress: async (call) => {
    for (const progress of [0, 50, 100]) {
      call.back?.progress?.({ progress, total: 100 });
      await pause(50);
    }
    return done('Tool with progress executed successfully');
  },
  test_reconnection: async (call) => {
    call.back?.detach?.();
    await pause(200);
    return done('Reconnection test completed successfully');
  },
};

const defaults = {
  name: { ...string, default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { ...string, enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const options = ['option1', 'option2', 'option3'];
const titled = (noun) =>
  ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title: `${title} ${noun}` }));
const enums = {
  untitledSingle: { ...string, enum: options },
  titledSingle: { ...string, oneOf: titled('Option') },
  legacyEnum: { ...string, enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { ...string, enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

const elicits = (message, properties, said) => (call) => {
  const answer = call.confirmation?.answers['input'];
  if (!answer) return ask({ input: form(message(call.args), properties) });
  return done(said(answer));
};
const completed = (answer) =>
  `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;

/** Tools that ask their caller. */
const asking = {
  test_sampling: (call) => {
    const answer = call.confirmation?.answers['llm'];
    return answer ? done(`LLM response: ${answer.content?.text ?? ''}`) : ask({ llm: sampling(call.args.prompt, 100) });
  },
  test_elicitation: elicits(
    (args) => args.message,
    {
      username: { ...string, description: "User's response" },
      email: { ...string, description: "User's email address" },
    },
    (answer) => `User response: action: ${answer.action}, content: ${JSON.stringify(answer.content ?? {})}`,
  ),
  test_elicitation_sep1034_defaults: elicits(() => 'Please review', defaults, completed),
  test_elicitation_sep1330_enums: elicits(() => 'Please choose', enums, completed),
  test_missing_capability: (call) => (call.confirmation ? done('Asked') : ask({ question: sampling('Anything', 10) })),
  test_streaming_elicitation: (call) => {
    call.back?.progress?.({ progress: 1, total: 2 });
    return accepted(call, 'user_name') ? done('Thank you') : ask({ user_name: name() });
  },
  test_input_required_result_elicitation: (call) => {
    const answer = accepted(call, 'user_name');
    return typeof answer?.name === 'string' ? done(`Hello, ${answer.name}!`) : ask({ user_name: name() });
  },
  test_input_required_result_sampling: (call) => {
    const answer = call.confirmation?.answers['capital_question'];
    return answer
      ? done(`The answer: ${answer.content?.text ?? ''}`)
      : ask({ capital_question: sampling('What is the capital of France?', 100) });
  },
  test_input_required_result_list_roots: (call) => {
    const answer = call.confirmation?.answers['client_roots'];
    return Array.isArray(answer?.roots)
      ? done(`Roots: ${answer.roots.map((root) => root.uri).join(', ')}`)
      : ask({ client_roots: roots });
  },
  test_input_required_result_request_state: (call) => {
    if (!call.confirmation)
      return ask({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, seal('confirming'));
    if (unseal(call.confirmation.state) === undefined) return refuse('invalid_confirmation', 'The state was changed');
    return done('state-ok');
  },
  test_input_required_result_tampered_state: (call) => asking.test_input_required_result_request_state(call),
  test_input_required_result_multiple_inputs: (call) => {
    const { answers, state } = call.confirmation ?? {};
    const asks = { user_name: name(), greeting: sampling('Generate a greeting', 50), client_roots: roots };
    if (!answers || !Object.keys(asks).every((each) => answers[each])) return ask(asks, seal('gathering'));
    return unseal(state) === 'gathering'
      ? done('All inputs received')
      : refuse('invalid_confirmation', 'The state was changed');
  },
  test_input_required_result_multi_round: (call) => {
    const state = call.confirmation && unseal(call.confirmation.state);
    if (accepted(call, 'step1') && state === 'step1')
      return ask(
        { step2: form('Step 2: What is your favorite color?', { color: string }) },
        seal(`step2 ${accepted(call, 'step1').name}`),
      );
    if (accepted(call, 'step2') && state?.startsWith('step2 '))
      return done(`${state.slice(6)} likes ${accepted(call, 'step2').color}`);
    return ask({ step1: form('Step 1: What is your name?', { name: string }) }, seal('step1'));
  },
  test_input_required_result_capabilities: (call) => {
    if (call.confirmation) return done('Answered');
    const { elicitation, sampling: llm } = call.back?.capabilities ?? {};
    return ask({ ...(elicitation && { user_name: name() }), ...(llm && { question: sampling('Anything', 10) }) });
  },
};

const sleeping = (call, ms) =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), ms);
    call.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(false);
    });
  });

/** Longer than a call may take before it becomes a task. */
const long = 600;

/** Tools that run as tasks. */
const tasks = {
  slow_compute: async (call) =>
    (await sleeping(call, (call.args.seconds ?? 0) * 1_000))
      ? done(`Computed for ${call.args.seconds ?? 0} seconds`)
      : refuse('cancelled', 'Cancelled'),
  failing_job: async (call) => {
    await sleeping(call, 1_000);
    return refuse('execution_failed', 'The job failed');
  },
  protocol_error_job: async (call) => {
    await sleeping(call, long);
    throw new Error('planted');
  },
  confirm_delete: async (call) => {
    if (!call.confirmation) await sleeping(call, long);
    const answer = accepted(call, 'confirm');
    return call.confirmation
      ? done(answer?.confirm ? `Deleted ${call.args.filename ?? ''}` : 'Kept')
      : ask({ confirm: form('Delete?', { confirm: { type: 'boolean' } }) });
  },
  multi_input: async (call) => {
    if (!call.confirmation) await sleeping(call, long);
    return call.confirmation
      ? done('Both answered')
      : ask({ first: name(), second: form('Sure?', { confirm: { type: 'boolean' } }) });
  },
  test_tool_with_task: async (call) => {
    const answer = accepted(call, 'user_name');
    if (!answer) return ask({ user_name: name() });
    await sleeping(call, long);
    return done(`Hello, ${answer.name}!`);
  },
};

const schemas = {
  test_sampling: { type: 'object', properties: { prompt: string }, required: ['prompt'] },
  test_elicitation: { type: 'object', properties: { message: string }, required: ['message'] },
  slow_compute: { type: 'object', properties: { seconds: { type: 'number' }, label: string } },
};
const support = {
  slow_compute: 'optional',
  failing_job: 'required',
  protocol_error_job: 'optional',
  confirm_delete: 'optional',
  multi_input: 'optional',
  test_tool_with_task: 'required',
};

const features2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: '#/$defs/address' },
    contactMethod: { ...string, enum: ['phone', 'email'] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Every tool the suites call: name, schema, task support, handler. */
export const toolTable = [
  ...Object.entries({ ...plain, ...talking, ...asking, ...tasks }).map(([toolName, run]) => ({
    name: toolName,
    schema: schemas[toolName] ?? { ...nothing, additionalProperties: true },
    run,
    tasks: support[toolName],
  })),
  {
    name: 'greet',
    schema: { type: 'object', properties: { name: string } },
    run: (call) => done(`Hello, ${call.args.name ?? 'you'}!`),
  },
  { name: 'json_schema_2020_12_tool', schema: features2020, run: () => done('Schema kept') },
  {
    name: 'test_custom_headers',
    schema: {
      type: 'object',
      properties: {
        region: { ...string, 'x-mcp-header': 'Region' },
        priority: { type: 'integer', 'x-mcp-header': 'Priority' },
        query: string,
      },
      required: ['region', 'query'],
    },
    run: (call) => done(`Region ${call.args.region}`),
  },
];
