/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
/** A sound without samples. */
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const text = (value) => ({ type: 'text', text: value });
export const done = (content, data) => ({
  kind: 'done',
  content: typeof content === 'string' ? [text(content)] : content,
  ...(data !== undefined && { data }),
});
export const refuse = (code, message) => ({ kind: 'failed', error: { code, message } });
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a client that cannot be asked is told. */
const otherwise = { code: 'capability_missing', message: 'The client cannot be asked' };

/** Asks, and says so to a client that cannot be asked. */
export const ask = (asks, state = '') => ({ kind: 'confirm', question: { asks, state, otherwise } });

const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });
export const form = (message, properties) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: object(properties) },
});
export const sampling = (prompt, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});
export const roots = { method: 'roots/list', params: {} };

/** The accepted content of an answer, or undefined. */
export const accepted = (call, key) => {
  const answer = call.confirmation?.answers[key];
  return answer?.action === 'accept' && answer.content !== null && typeof answer.content === 'object'
    ? answer.content
    : undefined;
};
