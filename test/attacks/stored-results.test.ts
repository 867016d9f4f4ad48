import { expect, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.js';
import { aServer, json } from '../support/functions.js';
import { ada, bob, never } from '../support/make.js';
import { aWholeGate } from '../support/whole-gate.js';

const codeOf = (outcome: Outcome): string => (outcome.kind === 'failed' ? outcome.error.code : outcome.kind);

/** A tool labelled private, whose result is stored as a door stores a large one, and a tool that sends data out. */
async function aLibrary(rules: string) {
  const server = await aServer(json({ up: true }));
  const config = (policy: string): string => `
sources:
  books:
    kind: http
    base_url: "${server.url}"
    tools:
      page: { description: Reads a page, path: /page }
      send: { description: Sends a text away, path: /send }
flows:
  labels: { books__page: [reads:private], books__send: [sends] }
  rules: [{ id: no-leak, after: [reads:private], to: [sends], action: deny }]
${policy}
`;
  const whole = await aWholeGate(config(rules));
  const { gateway } = whole.gate;
  const as = (session: string, principal = bob) => ({ principal, via: 'http', signal: never, session }) as const;
  return {
    ...whole,
    tighten: (policy: string) => whole.reload(config(policy)),
    call: async (tool: string, session: string) =>
      codeOf((await gateway.call({ ...as(session), tool, args: {} })).outcome),
    /** Calls the private tool and returns the link to its result. */
    async stored(session: string): Promise<string> {
      const { tool } = await gateway.call({ ...as(session), tool: 'books__page', args: {} });
      const part = { body: 'private', mimeType: 'text/plain', isBinary: false };
      return (tool && gateway.store?.(as(session), tool, part)?.uri) ?? '';
    },
    read: async (uri: string, session: string, principal = bob) =>
      codeOf((await gateway.read({ ...as(session, principal), uri })).outcome),
  };
}

test('the rest of a private result carries its labels into another conversation (data exfiltration)', async () => {
  const { call, stored, read, journal } = await aLibrary('');
  const uri = await stored('one');
  expect(await call('books__send', 'two')).toBe('done');
  expect(await read(uri, 'two')).toBe('done');
  expect(await call('books__send', 'two')).toBe('policy_denied');
  expect(journal().map(({ tool, decision }) => `${tool} ${decision}`)).toEqual([
    'books__page allowed',
    'books__send allowed',
    'resources/read allowed',
    'books__send refused',
  ]);
});

test('the rest of a result cannot be read once a reload hides the tool that produced it, nor by another caller', async () => {
  const { stored, read, tighten } = await aLibrary('');
  const uri = await stored('one');
  expect(await read(uri, 'one', ada)).toBe('not_found');
  expect(await read(uri, 'one')).toBe('done');
  await tighten(
    'policy:\n  rules:\n    - { id: no-pages, action: deny, tools: [books__page] }\n    - { id: rest, action: allow }',
  );
  expect(await read(uri, 'one')).toBe('not_found');
  await tighten('');
  expect(await read(uri, 'one')).toBe('done');
  expect(await read(`${uri}/../1`, 'one')).toBe('not_found');
});
