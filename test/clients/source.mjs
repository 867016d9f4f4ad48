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
const source = 'clients';
const done = (content, data) => ({
  kind: 'done',
  content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  ...(data !== undefined && { data }),
});
const form = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  },
};

/** What every client is shown: something to call, to follow, to be asked by, to read and to prompt with. */
export function clientSource(schemaContract) {
  const listeners = new Set();
  let extra = 0;
  const tool = (name, schema, run, more = {}) => ({
    name,
    source,
    limits,
    effects,
    description: `Fixture ${name}`,
    input: schemaContract(schema),
    run: async (call) => run(call),
    ...more,
  });
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const nothing = { type: 'object', properties: {} };
  const fixed = [
    tool('echo', text, ({ args }) => done(args.text)),
    tool(
      'sum',
      { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      ({ args }) => done([], { sum: args.a + args.b }),
      {
        output: { schema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } },
      },
    ),
    tool('steps', nothing, async ({ back }) => {
      for (const progress of [1, 2, 3]) {
        back?.progress?.({ progress, total: 3 });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return done('walked');
    }),
    tool('ask', nothing, ({ confirmation }) => {
      const answer = confirmation?.answers.sure;
      if (!answer)
        return {
          kind: 'confirm',
          question: {
            asks: { sure: form },
            state: 's',
            otherwise: { code: 'confirmation_required', message: 'Nobody can be asked' },
          },
        };
      return done(`${answer.action} ${answer.content?.ok ?? ''}`.trim());
    }),
    tool('fail', nothing, () => ({ kind: 'failed', error: { code: 'execution_failed', message: 'It failed' } })),
    tool('change', nothing, () => {
      extra += 1;
      for (const listener of listeners) listener();
      return done('changed');
    }),
  ];
  return {
    id: source,
    list: async () => [
      ...fixed,
      ...Array.from({ length: extra }, (_, at) => tool(`extra_${at}`, nothing, () => done('extra'))),
    ],
    prompts: async () => [
      {
        name: 'greet',
        source,
        arguments: [{ name: 'who', required: true }],
        get: async ({ args }) =>
          done([], { messages: [{ role: 'user', content: { type: 'text', text: `Hello ${args.who}` } }] }),
      },
    ],
    resources: async () => [
      {
        uri: 'test://a',
        name: 'a',
        mimeType: 'text/plain',
        source,
        read: async () => done([], { contents: [{ uri: 'test://a', mimeType: 'text/plain', text: 'A' }] }),
      },
    ],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
