const limits = {
  timeoutMs: 30_000,
  maxTimeoutMs: 60_000,
  concurrency: 256,
  queue: 1_024,
  queueTimeoutMs: 10_000,
  ratePerMinute: 60_000_000,
  maxOutputBytes: 1_048_576,
};
const effects = { reads: true, writes: false, destroys: false, idempotent: true, openWorld: false, labels: [] };

/** A source with an echo tool, and as many more as wanted. */
export function echoSource(schemaContract, tools = 1) {
  const tool = (name) => ({
    name,
    limits,
    effects,
    description:
      `Returns the given text. ${'A description of the usual length, for the sake of the list. '.repeat(6)}`.slice(
        0,
        300,
      ),
    source: 'bench',
    input: schemaContract({
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to say' },
        times: { type: 'integer', minimum: 1, description: 'How often' },
      },
      required: ['text'],
      additionalProperties: false,
    }),
    run: async (call) => ({ kind: 'done', content: [{ type: 'text', text: call.args.text }] }),
  });
  const all = [tool('echo'), ...Array.from({ length: tools - 1 }, (_, at) => tool(`tool_${at}`))];
  return { id: 'bench', list: async () => all };
}
