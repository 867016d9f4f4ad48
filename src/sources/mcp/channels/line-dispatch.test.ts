import { expect, test } from 'vitest';
import { lineDispatch } from './line-dispatch.js';

function aDispatch() {
  const seen: string[] = [];
  const push = lineDispatch({
    displayName: 'fixture',
    maxLineBytes: 200,
    settle: ({ id, reply }) => seen.push(`failed ${id} ${'failure' in reply ? reply.failure.kind : ''}`),
    onMessage: (message) => seen.push(message.kind),
    onInvalidLine: () => seen.push('invalid'),
  });
  return { seen, push: (text: string) => push(Buffer.from(text)) };
}

test('messages are dispatched, also when they arrive in pieces or as a batch', () => {
  const { seen, push } = aDispatch();
  push('{"jsonrpc":"2.0","method":"notifications/me');
  push('ssage","params":{}}\n[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n');
  expect(seen).toEqual(['notification', 'response', 'request']);
});

test.each([
  ['not JSON', 'hello\n', ['invalid']],
  ['a broken response', '{"jsonrpc":"2.0","id":7,"result":{"a":}}\n', ['invalid', 'failed 7 protocol']],
  [
    'an overlong response',
    `{"jsonrpc":"2.0","id":8,"result":{"a":"${'x'.repeat(300)}"}}\n`,
    ['invalid', 'failed 8 oversized'],
  ],
])('%s costs only the request it answers', (_, line, expected) => {
  const { seen, push } = aDispatch();
  push(line);
  push('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  expect(seen).toEqual([...expected, 'response']);
});
