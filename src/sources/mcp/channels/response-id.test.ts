import { expect, test } from 'vitest';
import { findResponseId } from './response-id.js';

test.each([
  ['as most servers write it', '{"jsonrpc":"2.0","id":7,"result":{"content":[', ']}}', 7],
  ['with blanks', ' { "jsonrpc" : "2.0" , "id" : 7 , "result" : {', '} }', 7],
  ['with the id first', '{"id":7,"jsonrpc":"2.0","result":{', '}}', 7],
  ['with the id last', '{"result":{"content":[', ']},"jsonrpc":"2.0","id":7}', 7],
  ['with the version last', '{"result":{"content":[', ']},"id":7,"jsonrpc":"2.0"}\r', 7],
  ['an id inside the result is none', '{"result":{"content":[', '"x":{"id":7}}}', undefined],
  ['nor is one in a text', '{"result":{"text":"{\\"id\\":7,', '\\"id\\":7}"}}', undefined],
  ['an id of somebody else is none of ours', '{"jsonrpc":"2.0","id":"7","result":{', '}}', undefined],
])('%s', (_, begins, ends, id) => {
  expect(findResponseId(begins, ends)).toBe(id);
});
