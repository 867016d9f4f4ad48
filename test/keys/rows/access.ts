import { code, codes, offers } from '../observers.js';
import { alone, rowsOver } from '../row.js';
import type { Row } from '../row.js';
import { env } from '../subject.js';
import type { Subject } from '../subject.js';

const bob = { token: env.LAB_A };
const eve = { token: env.LAB_B };
const callers = {
  auth: {
    tokens: [
      { name: 'bob', token: '${LAB_A}' },
      { name: 'eve', token: '${LAB_B}', roles: ['guest'] },
    ],
  },
};
const profiles = rowsOver({ access: { profiles: { some: { tools: ['say'] } } } });
const inProfile = (tool: string) => async (subject: Subject) =>
  (await subject.send('/tools?profile=some')).json.tools.some(({ name }: { name: string }) => name === tool);
const roles = rowsOver({ ...callers, access: { profiles: { some: { tools: ['say'] } }, roles: { guest: {} } } });
const limits = (limit: object) =>
  rowsOver({ ...callers, access: { limits: [{ id: 'few', calls_per_minute: 1, ...limit }] } });
const policy = (rule: object, more: object = {}) =>
  rowsOver({
    ...callers,
    policy: {
      rules: [
        { id: 'one', action: 'deny', ...rule },
        { id: 'rest', action: 'allow' },
      ],
    },
    ...more,
  });
const all = policy({ tools: ['say'] });
/** A rule by an argument leaves the tool visible, so its refusal shows its id and texts. */
const fitting = policy({ tools: ['say'], args: { text: { equals: 'a' } } });
/** A rule that denies a call of `say` if the argument fits. */
const byArgument = (
  key: string,
  values: readonly [unknown, unknown],
  value: unknown,
  sees: Row['sees'],
  condition = {},
): Row =>
  policy({ tools: ['say'], args: { text: condition } })(
    `policy.rules.[].args.*.${key}`,
    values,
    code('say', { text: value }),
    sees,
  );
export const accessRows: readonly Row[] = [
  profiles('access.profiles.*.tools', [['say'], ['read']], inProfile('say'), [true, false]),
  profiles('access.profiles.*.sources', [[], ['lab']], inProfile('read'), [false, true]),
  profiles('access.profiles.*.labels', [[], ['reads:*']], inProfile('read'), [false, true]),
  profiles('access.profiles.*.exclude', [[], ['say']], inProfile('say'), [true, false]),
  profiles(
    'access.profiles.*.search',
    [false, true],
    async (subject) =>
      (await subject.mcp('tools/list', {}, { path: '/mcp/p/some' })).tools
        .map(({ name }: { name: string }) => name)
        .includes('search_tools'),
    [false, true],
  ),
  roles('access.roles.*.profiles', [[], ['some']], offers('read', eve), [true, false]),
  alone(
    limits({})(
      'access.limits.[].id',
      ['few', 'less'],
      async (subject) => (
        await codes(2, 'say')(subject),
        (await subject.call('say')).answer.json.error_context.message.includes('few')
      ),
      [true, false],
    ),
  ),
  alone(
    limits({})('access.limits.[].principals', [['token:eve'], ['token:bob']], codes(2, 'say', {}, bob), [
      'ok ok',
      'ok rate_limited',
    ]),
  ),
  alone(
    limits({})('access.limits.[].roles', [['user'], ['guest']], codes(2, 'say', {}, eve), ['ok ok', 'ok rate_limited']),
  ),
  alone(limits({})('access.limits.[].tools', [['read'], ['say']], codes(2, 'say'), ['ok ok', 'ok rate_limited'])),
  alone(
    limits({})('access.limits.[].calls_per_minute', [2, 1], codes(2, 'say'), ['ok ok', 'rate_limited rate_limited']),
  ),
  alone(
    limits({})('access.limits.[].calls_per_day', [5, 2], codes(2, 'say'), ['ok ok', 'rate_limited rate_limited'], {
      access: { limits: [{ id: 'few', calls_per_day: 5 }] },
    }),
  ),
  alone(
    limits({})(
      'access.limits.[].shared',
      [false, true],
      async (subject) => `${await code('say', {}, bob)(subject)} ${await code('say', {}, eve)(subject)}`,
      ['ok ok', 'ok rate_limited'],
      { access: { limits: [{ id: 'few', calls_per_day: 1 }] } },
    ),
  ),
  fitting(
    'policy.rules.[].id',
    ['one', 'two'],
    async (subject) => (await subject.call('say', { text: 'a' })).answer.text.includes('two'),
    [false, true],
  ),
  all('policy.rules.[].action', ['deny', 'allow'], code('say'), ['not_found', 'ok']),
  all(
    'policy.rules.[].confirm',
    ['caller', 'operator'],
    async (subject) => (await subject.call('say')).answer.json.error_context.message.includes('operator'),
    [false, true],
    {
      policy: {
        rules: [
          { id: 'one', action: 'confirm', tools: ['say'] },
          { id: 'rest', action: 'allow' },
        ],
      },
    },
  ),
  all('policy.rules.[].principals', [['token:eve'], ['token:bob']], code('say', {}, bob), ['ok', 'not_found']),
  all('policy.rules.[].roles', [['guest'], ['user']], code('say', {}, bob), ['ok', 'not_found']),
  all('policy.rules.[].tools', [['read'], ['say']], code('say'), ['ok', 'not_found']),
  policy({})('policy.rules.[].sources', [['other'], ['lab']], code('say'), ['ok', 'not_found'], {
    sources: { other: { kind: 'http', base_url: 'http://127.0.0.1:9', tools: {} } },
  }),
  policy({})('policy.rules.[].labels', [['reads:*'], ['lab:*']], code('say'), ['ok', 'not_found']),
  policy({})('policy.rules.[].effects', [['writes'], ['reads']], code('say'), ['ok', 'not_found']),
  policy({})('policy.rules.[].doors', [['stdio'], ['rest']], code('say'), ['ok', 'policy_denied']),
  byArgument('equals', ['b', 'a'], 'a', ['ok', 'policy_denied']),
  byArgument('one_of', [['b'], ['a', 'b']], 'a', ['ok', 'policy_denied']),
  byArgument('glob', [['b*'], ['a*']], 'abc', ['ok', 'policy_denied']),
  byArgument('cidr', [['10.0.0.0/8'], ['192.168.0.0/16']], '192.168.1.1', ['ok', 'policy_denied']),
  byArgument('domain', [['b.example'], ['a.example']], 'https://a.example/x', ['ok', 'policy_denied']),
  byArgument('path_prefix', [['/b'], ['/a']], '/a/file', ['ok', 'policy_denied']),
  byArgument('min', [10, 1], 5, ['ok', 'policy_denied']),
  byArgument('max', [1, 10], 5, ['ok', 'policy_denied']),
  byArgument('min_length', [5, 2], 'abc', ['ok', 'policy_denied']),
  byArgument('max_length', [2, 5], 'abc', ['ok', 'policy_denied']),
  byArgument('optional', [false, true], undefined, ['ok', 'policy_denied'], { equals: 'a' }),
  all('policy.rules.[].when', ['args.text == "b"', 'args.text == "a"'], code('say', { text: 'a' }), [
    'ok',
    'policy_denied',
  ]),
  fitting(
    'policy.rules.[].reason',
    ['because of b', 'because of a'],
    async (subject) => (await subject.call('say', { text: 'a' })).answer.text.includes('because of a'),
    [false, true],
  ),
  fitting(
    'policy.rules.[].hint',
    ['try b', 'try a'],
    async (subject) => (await subject.call('say', { text: 'a' })).answer.text.includes('try a'),
    [false, true],
  ),
  rowsOver({})('policy.confirmation.effects', [[], ['writes']], code('write'), ['ok', 'confirmation_required']),
];
