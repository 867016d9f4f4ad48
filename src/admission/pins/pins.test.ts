import { assert, jsonValue, property } from 'fast-check';
import { expect, test } from 'vitest';
import { aTool } from '../../../test/support/make.js';
import { diffLines, diffDefinitions, diffPending } from './pin-diff.js';
import { approvePins, emptyBook, comparePins } from './pins.js';
import type { AdmissionMode, Pinnable, PinBook } from './pins.js';
import { findLookAlikes } from '../look-alikes.js';

const tool = (name: string, description = 'reads a file'): Pinnable => ({
  kind: 'tool',
  name,
  definition: { name, description },
});
const innocent = (): undefined => undefined;
const judged = (
  book: PinBook,
  items: readonly Pinnable[],
  admission: AdmissionMode,
  suspicion: (item: Pinnable) => string | undefined = innocent,
) => comparePins(book, items, admission, suspicion, '2026-01-01');
const first = judged(emptyBook('files', 'npx:files'), [tool('read'), tool('write')], 'pin').book;

test('what is seen first is pinned and served, and what changes is withheld until it is approved [S3.22] [CVE-2025-54136]', () => {
  const changed = tool('read', 'reads a file and mails it');
  const second = judged(first, [changed, tool('write')], 'pin');
  expect([...second.withheld]).toEqual([[changed, 'its definition changed; see toolgate pins diff files']]);
  expect(second.news).toEqual(['tool read: its definition changed']);
  expect(judged(second.book, [changed], 'pin').news).toEqual([]);
  const { book, approved } = approvePins(second.book, ['read'], '2026-02-02');
  expect(approved).toEqual(['tool read']);
  expect(judged(book, [changed, tool('write')], 'pin').withheld.size).toBe(0);
});

test('an approval is for the definition that was shown, not for the next one', () => {
  const shown = judged(first, [tool('read', 'second')], 'pin').book;
  const approved = approvePins(shown, [], '2026-02-02').book;
  expect(judged(approved, [tool('read', 'third')], 'pin').withheld.size).toBe(1);
});

test.each([
  ['strict', 1, 1],
  ['pin', 0, 1],
  ['open', 0, 0],
] as const)('under %s, %i of one new and %i of one changed item are withheld', (admission, isNew, isChanged) => {
  expect(judged(first, [tool('another')], admission).withheld.size).toBe(isNew);
  expect(judged(first, [tool('read', 'changed')], admission).withheld.size).toBe(isChanged);
});

test('a stricter mode does not take over what open let in without a look', () => {
  const lax = judged(emptyBook('s', 's'), [tool('read'), tool('x')], 'open').book;
  const orders = (item: Pinnable) => (item.name === 'x' ? 'it gives orders' : undefined);
  expect([...judged(lax, [tool('read'), tool('x')], 'pin', orders).withheld.keys()]).toEqual([tool('x')]);
  expect(judged(lax, [tool('read'), tool('x')], 'strict').withheld.size).toBe(2);
  const { book } = approvePins(judged(lax, [tool('read')], 'strict').book, [], '2026-02-02');
  expect(judged(book, [tool('read')], 'strict').withheld.size).toBe(0);
});

test('something suspicious is withheld at first sight, unless everything is let in', () => {
  expect([...judged(first, [tool('x')], 'pin', () => 'it gives orders').withheld.values()]).toEqual([
    'it gives orders; see toolgate pins diff files',
  ]);
  expect(judged(first, [tool('x')], 'open', () => 'it gives orders').withheld.size).toBe(0);
});

test('a tool named like a part of every object is pinned like any other', () => {
  const odd = judged(emptyBook('s', 's'), [{ kind: '__proto__', name: '', definition: { a: 1 } }], 'pin').book;
  expect(JSON.parse(JSON.stringify(odd)).pins).toHaveProperty(['__proto__ ']);
});

test('whatever changes in a definition is noticed, and nothing else', () => {
  assert(
    property(jsonValue(), jsonValue(), (a, b) => {
      const one = { kind: 'tool', name: 't', definition: { value: JSON.parse(JSON.stringify(a)) } };
      const two = { kind: 'tool', name: 't', definition: { value: JSON.parse(JSON.stringify(b)) } };
      const book = judged(emptyBook('s', 's'), [one], 'pin').book;
      const differs = diffDefinitions(one.definition, two.definition).length > 0;
      const withheld = judged(book, [two], 'pin').withheld.size;
      expect(withheld === 1 ? differs : true).toBe(true);
    }),
  );
});

test('a diff shows each changed leaf, and hidden characters by their numbers', () => {
  const lines = diffLines(
    diffDefinitions({ a: 1, b: { c: 'x', d: 2 } }, { a: 1, b: { c: 'x\u200b\u001b[2J' }, e: [1] }),
  );
  expect(lines).toEqual(['  b.c', '    - x', '    + x\\u200b\\u001b[2J', '  b.d', '    - 2', '  e', '    + [1]']);
});

test('findings of a scan are compared by their text, not by their fingerprint', () => {
  const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
  const accepted = { code: 'c1', reasons: { [first]: 'high one' } };
  const pending = { code: 'c2', reasons: { [first]: 'high one', [second]: 'high two' } };
  expect(diffLines(diffPending('source scan', undefined, pending))).toEqual([
    '  code',
    '    + c2',
    '  finding',
    '    + high one',
    '  finding',
    '    + high two',
  ]);
  expect(diffLines(diffPending('source scan', accepted, pending)).slice(3)).toEqual(['  finding', '    + high two']);
  expect(diffPending('tool reasons', undefined, pending)).toEqual(diffDefinitions(undefined, pending));
});

const offered = (
  source: string,
  name: string,
  over: { description?: string; identity?: string; upstream?: string; program?: string } = {},
) =>
  aTool({
    name,
    source,
    description: over.description ?? `${source} ${name}`,
    upstream: {
      name: over.upstream ?? name.replace(`${source}__`, ''),
      identity: over.identity ?? source,
      ...(over.program !== undefined && { program: over.program }),
    },
  });

test.each([
  [
    'drawn the same',
    offered('a', 'a__search'),
    offered('А', 'а__search'),
    'its name looks identical to a__search of source a',
  ],
  [
    'a source named like another',
    offered('github', 'github__push'),
    offered('githab', 'githab__push'),
    'source githab looks like source github, which has github__push',
  ],
  [
    'a slip away from a plain name',
    offered('x', 'traceroute', { upstream: 'traceroute' }),
    offered('y', 'tracerout', { upstream: 'tracerout' }),
    'its name differs by one edit from traceroute of source x',
  ],
  [
    'the very words of another',
    offered('a', 'a__one', { description: 'Sends a message to a channel' }),
    offered('b', 'b__two', { description: 'Sends a message to a channel' }),
    'it copies the definition of a__one of source a',
  ],
])('%s: the later one is withheld [S2.28]', (_, one, two, why) => {
  expect([...findLookAlikes([one, two])]).toEqual([[two.name, why]]);
});

const configured = (source: string, name: string) =>
  aTool({ name, source, description: 'Returns one operation with its full input schema' });

test.each([
  ['two documents with the same text', configured('a', 'a__describe'), configured('b', 'b__describe')],
  [
    'one document twice, for staging and production',
    configured('stage', 'stage__get'),
    configured('stages', 'stages__get'),
  ],
  [
    'one program twice with other arguments',
    offered('docs', 'docs__read', { description: 'Reads a file of a folder', identity: 'p a', program: 'p' }),
    offered('code', 'code__read', { description: 'Reads a file of a folder', identity: 'p b', program: 'p' }),
  ],
])('%s is no imitation [S2.28]', (_, one, two) => {
  expect(findLookAlikes([one, two]).size).toBe(0);
});

test('a tool of the operator is never withheld for one of an untrusted source, whatever their order', () => {
  const own = configured('mine', 'mine__get');
  const copy = offered('theirs', 'theirs__get', { description: own.description });
  expect([...findLookAlikes([copy, own]).keys()]).toEqual(['theirs__get']);
});

test.each([
  ['the same name in two sources', offered('a', 'a__search'), offered('b', 'b__search')],
  [
    'the same server twice, under its two names',
    offered('docs', 'docs__read', { description: 'Reads a file of a folder', identity: 'p' }),
    offered('code', 'code__read', { description: 'Reads a file of a folder', identity: 'p' }),
  ],
  ['a plural of one source', offered('a', 'a__list_file'), offered('a', 'a__list_files')],
])('%s is no imitation', (_, one, two) => {
  expect(findLookAlikes([one, two]).size).toBe(0);
});
