import { describe, expect, test } from 'vitest';
import { config, type McpConfig } from '../sources/mcp/config.js';
import type { ScanResult } from './scan/result.js';
import { decideAdmission, admissionPolicyOf } from './decision.js';

const configOf = (more: object = {}): McpConfig => config.parse({ kind: 'mcp', command: 'x', ...more });
const location = (file: string, startLine: number) => ({
  file,
  startLine,
  startColumn: 1,
  endLine: startLine,
  endColumn: 2,
});
const finding = (severity: 'critical' | 'high' | 'medium', fingerprint: string): ScanResult['findings'][number] => ({
  rule: 'TG-X',
  kind: 'bug',
  severity,
  message: 'it is so',
  location: location('a.py', 3),
  fingerprint,
});
const reading = (over: Partial<ScanResult> = {}): ScanResult => ({
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
    ['a file that was not read', reading({ gaps: [{ file: 'b.py', reason: 'timeout' }] }), {}, 'quarantine'],
    [
      'the same where the operator allows it',
      reading({ gaps: [{ file: 'b.py', reason: 'timeout' }] }),
      { scan: { unknown: 'allow' } },
      'allow',
    ],
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
    expect(decideAdmission(read, admissionPolicyOf(configOf(config)), none).decision).toBe(decision);
  });
});

test('what an operator accepted no longer holds it, but a denial does', () => {
  const read = reading({ findings: [finding('high', 'a'), finding('critical', 'b')] });
  expect(
    decideAdmission(read, admissionPolicyOf(configOf({ scan: { critical: 'quarantine' } })), new Set(['a', 'b']))
      .decision,
  ).toBe('allow');
  expect(decideAdmission(read, admissionPolicyOf(configOf()), new Set(['a', 'b']))).toMatchObject({
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
  const [waits] = decideAdmission(at(3), admissionPolicyOf(configOf({ admission: 'strict' })), none).reasons;
  expect(
    decideAdmission(at(9), admissionPolicyOf(configOf({ admission: 'strict' })), new Set([waits?.mark ?? ''])).decision,
  ).toBe('allow');
});

test('what stayed unknown is said even where it is allowed', () => {
  expect(
    decideAdmission(
      reading({
        gaps: [
          { file: 'b.py', reason: 'timeout' },
          { file: 'c.py', reason: 'binary' },
        ],
      }),
      admissionPolicyOf(configOf({ scan: { unknown: 'allow' } })),
      none,
    ),
  ).toMatchObject({ decision: 'allow', unknown: 'b.py (timeout) and 1 more' });
});
