import { describe, expect, test } from 'vitest';
import { schema } from '../../config/schema.js';
import type { McpConfig } from '../mcp-sources.js';
import type { Reading } from './reading.js';
import { judge, policyOf } from './verdict.js';

const configOf = (more: object = {}): McpConfig => {
  const source = schema.parse({ sources: { a: { kind: 'mcp', command: 'x', ...more } } }).sources['a'];
  if (source?.kind !== 'mcp') throw new Error('not an mcp source');
  return source;
};
const location = (file: string, startLine: number) => ({
  file,
  startLine,
  startColumn: 1,
  endLine: startLine,
  endColumn: 2,
});
const finding = (severity: 'critical' | 'high' | 'medium', fingerprint: string): Reading['findings'][number] => ({
  rule: 'TG-X',
  kind: 'bug',
  severity,
  message: 'it is so',
  location: location('a.py', 3),
  fingerprint,
});
const reading = (over: Partial<Reading> = {}): Reading => ({
  findings: [],
  gaps: [],
  capabilities: [],
  surfaceHash: 'h',
  surface: {
    tools: [],
    optionalTools: [],
    resources: [],
    prompts: [],
    transports: [],
    authSignals: [],
    sdks: [],
    unresolved: [],
    skipped: [],
    files: 1,
    bytes: 1,
  },
  ...over,
});
const none = new Set<string>();

describe('what is decided by default', () => {
  test.each([
    ['nothing found', reading(), {}, 'allow'],
    ['a medium finding', reading({ findings: [finding('medium', 'a')] }), {}, 'allow'],
    ['a high finding', reading({ findings: [finding('high', 'a')] }), {}, 'quarantine'],
    ['a critical finding', reading({ findings: [finding('high', 'a'), finding('critical', 'b')] }), {}, 'deny'],
    ['a file that was not read', reading({ gaps: [{ file: 'b.py', reason: 'timeout' }] }), {}, 'allow'],
    [
      'the same under strict',
      reading({ gaps: [{ file: 'b.py', reason: 'timeout' }] }),
      { admission: 'strict' },
      'quarantine',
    ],
    ['nothing read at all', { unread: 'no source' }, {}, 'allow'],
    ['nothing read at all under strict', { unread: 'no source' }, { admission: 'strict' }, 'quarantine'],
    [
      'a power that the policy names',
      reading({ capabilities: [{ tool: 't', capabilities: ['exec'] }] }),
      { scan: { capabilities: { exec: 'deny' } } },
      'deny',
    ],
  ] as const)('%s', (_, read, config, decision) => {
    expect(judge(read, policyOf(configOf(config)), none).decision).toBe(decision);
  });
});

test('what somebody accepted no longer holds it, but a denial does', () => {
  const read = reading({ findings: [finding('high', 'a'), finding('critical', 'b')] });
  expect(judge(read, policyOf(configOf({ scan: { critical: 'quarantine' } })), new Set(['a', 'b'])).decision).toBe(
    'allow',
  );
  expect(judge(read, policyOf(configOf()), new Set(['a', 'b']))).toMatchObject({
    decision: 'deny',
    reasons: [{ mark: 'b' }],
  });
});

test('an unknown that was accepted stays so when its line moves', () => {
  const at = (start_line: number) =>
    reading({
      surface: {
        ...reading().surface,
        unresolved: [{ kind: 'tool', reason: 'computed name', location: { file: 'a.py', start_line } }],
      },
    });
  const [waits] = judge(at(3), policyOf(configOf({ admission: 'strict' })), none).reasons;
  expect(judge(at(9), policyOf(configOf({ admission: 'strict' })), new Set([waits?.mark ?? ''])).decision).toBe(
    'allow',
  );
});

test('what stayed unknown is said even where it is allowed', () => {
  expect(
    judge(
      reading({
        gaps: [
          { file: 'b.py', reason: 'timeout' },
          { file: 'c.py', reason: 'binary' },
        ],
      }),
      policyOf(configOf()),
      none,
    ),
  ).toMatchObject({ decision: 'allow', unknown: 'b.py (timeout) and 1 more' });
});
