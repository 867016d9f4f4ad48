import { expect, test } from 'vitest';
import { schemaContract } from '../../core/contract.js';
import type { Call } from '../../core/call.js';
import type { Tool } from '../../core/tool.js';
import { readOnly } from '../../core/tool.js';
import { ada, aCall, aRule, aTool, bob } from '../../../test/support/make.js';
import { control } from '../control.js';
import { compileExpression } from './expressions.js';
import { flows } from '../flows/flows.js';
import { unknownNames } from './unknown-names.js';
import { labeller } from '../flows/labels.js';
import type { Rule } from './policy.js';
import { compileRules, accessPolicy } from './policy.js';

const labelsOf = labeller({ derive: true, labels: { crm__read: ['reads:private'] } });

function ruled(rules: readonly (Partial<Rule> & Pick<Rule, 'id' | 'action'>)[]) {
  const made = compileRules(rules.map(aRule), labelsOf);
  expect(made.problems).toEqual([]);
  const judged = accessPolicy(made.rules);
  const memory = flows({ rules: [], labelsOf, conversations: 'session', rememberMs: 1000, maxConversations: 10 });
  return { judged, ...control({ policy: judged, flows: memory, labelsOf, confirmEffects: [] }) };
}
const say = (verdict: ReturnType<ReturnType<typeof ruled>['verdict']>): string =>
  verdict.kind === 'confirm' ? `confirm ${verdict.demand.rules.join()}` : `${verdict.kind} ${verdict.rule ?? ''}`;

test('without rules everything is allowed; with one, what no rule allows is denied', () => {
  expect(ruled([]).decide(aCall(), aTool())).toBeUndefined();
  const { decide } = ruled([{ id: 'only-other', action: 'allow', tools: ['other'] }]);
  expect(decide(aCall(), aTool())).toMatchObject({
    code: 'policy_denied',
    decision: { rule: 'default' },
    hint: expect.stringContaining('explain'),
  });
});

test('the first rule that fits decides, and a refusal names it with its reason and hint', () => {
  const { decide, verdict } = ruled([
    { id: 'no-bob', action: 'deny', principals: ['bob'], reason: 'Bob is on leave', hint: 'Ask Ada' },
    { id: 'all', action: 'allow' },
  ]);
  expect(decide(aCall({ principal: bob }), aTool())).toEqual({
    code: 'policy_denied',
    message: 'Rule no-bob denies this call: Bob is on leave',
    hint: 'Ask Ada',
    decision: { rule: 'no-bob' },
  });
  expect(verdict(aCall({ principal: ada }), aTool())).toEqual({ kind: 'allow', rule: 'all' });
});

const deleter = aTool({ name: 'db__drop', source: 'db', effects: { ...readOnly, writes: true, destroys: true } });
test.each<[string, Partial<Rule>, Partial<Call>, Tool]>([
  ['role', { roles: ['user'] }, { principal: bob }, aTool()],
  ['tool', { tools: ['db__*'] }, {}, deleter],
  ['source', { sources: ['db'] }, {}, deleter],
  ['label', { labels: ['egress:*'] }, {}, aTool({ effects: { ...readOnly, openWorld: true } })],
  ['effect', { effects: ['destroys'] }, {}, deleter],
  ['door', { doors: ['rest'] }, { via: 'rest' }, aTool()],
  ['argument', { args: { text: { glob: ['drop *'] } } }, { args: { text: 'drop it' } }, aTool()],
  [
    'expression',
    { when: 'args.text.startsWith("drop") && principal.kind == "token"' },
    { args: { text: 'drop it' } },
    aTool(),
  ],
  [
    'expression over the tool',
    { when: 'tool.destroys && call.door == "rest" && size(session.labels) == 0' },
    {},
    deleter,
  ],
])('a rule can ask for a %s', (_what, rule, call, tool) => {
  const { verdict } = ruled([
    { id: 'asks', action: 'confirm', ...rule },
    { id: 'rest', action: 'allow' },
  ]);
  expect(say(verdict(aCall(call), tool))).toBe('confirm asks');
  const other = aTool({ name: 'x', source: 'y' });
  expect(say(verdict(aCall({ principal: { ...ada, roles: [] }, via: 'stdio', args: { text: 'keep' } }), other))).toBe(
    'allow rest',
  );
});

test('an expression that cannot be evaluated never allows and never spares', () => {
  const broken = 'args.missing == "x"';
  expect(say(ruled([{ id: 'a', action: 'allow', when: broken }]).verdict(aCall(), aTool()))).toBe('deny default');
  expect(
    say(
      ruled([
        { id: 'd', action: 'deny', when: broken },
        { id: 'all', action: 'allow' },
      ]).verdict(aCall(), aTool()),
    ),
  ).toBe('deny d');
});

test('a tool that no rule could ever allow a caller is not shown to that caller [Obot ≤ 0.21]', () => {
  const { judged } = ruled([
    { id: 'no-drop', action: 'deny', tools: ['db__drop'], roles: ['user'] },
    { id: 'some', action: 'allow', roles: ['user'], args: { text: { equals: 'x' } } },
    { id: 'admins', action: 'allow', roles: ['admin'] },
  ]);
  expect(judged.couldAllow(bob, deleter)).toBe(false);
  expect(judged.couldAllow(bob, aTool())).toBe(true);
  expect(judged.couldAllow(ada, deleter)).toBe(true);
  expect(judged.couldAllow({ ...bob, roles: [] }, aTool())).toBe(false);
  expect(judged.key(bob)).not.toBe(judged.key(ada));
  expect(judged.key(bob)).toBe(judged.key({ ...bob, id: 'eve' }));
});

test.each([
  ['args.text.matches("(a+)+$")', /matches\(\)/],
  ['!args.text.matches("(a+)+$")', /matches\(\)/],
  ['args.a.all(x, args.b.exists(y, x == y))', /nests loops/],
  ['principal.password == "x"', /No such key: password/],
  ['nobody.id == "x"', /Unknown variable/],
  ['1 + 1', /must return true or false/],
  ['args.x ==', /./],
  [`${'!'.repeat(400)}true`, /./],
  [Array.from({ length: 400 }, () => 'true').join(' && '), /./],
])('an expression that is wrong or unbounded is refused when it is read: %s', (source, why) => {
  expect(compileExpression(source)).toMatchObject({ ok: false, problem: expect.stringMatching(why) });
});

test('a rule that names a tool or an argument that does not exist is found at load, with its place', () => {
  const rules = [
    aRule({ id: 'a', action: 'deny', tools: ['ecko'] }),
    aRule({ id: 'b', action: 'deny', tools: ['echo'], args: { txet: { equals: 'x' } } }),
    aRule({ id: 'c', action: 'deny', tools: ['echo'], when: 'args.txt == "x" || args["text"] == "y"' }),
    aRule({ id: 'd', action: 'deny', sources: ['tset'] }),
    aRule({ id: 'e', action: 'allow', tools: ['resources/read', 'ec*'], args: { text: { equals: 'x' } } }),
  ];
  const { rules: made } = compileRules(rules, labelsOf);
  const known = {
    tools: [aTool(), aTool({ name: 'open', input: schemaContract({ type: 'object' }) })],
    sources: ['test'],
    awaited: [],
  };
  expect(unknownNames(made, known).map(({ path }) => path)).toEqual([
    'policy.rules.0.tools.0',
    'policy.rules.1.args.txet',
    'policy.rules.2.when',
    'policy.rules.3.sources.0',
  ]);
  expect(unknownNames(made, known).some(({ mayAppear: mayCome }) => mayCome)).toBe(false);
});

test.each([
  ['slow__read', ['slow__'], true],
  ['slow__*', ['slow__'], true],
  ['s*', ['slow__'], true],
  ['*', ['slow__'], undefined],
  ['slwo__read', ['slow__'], false],
  ['slow', ['slow__'], false],
  ['fast__*', ['slow__'], false],
  ['anything', [''], true],
])(
  'a name that a pending source may still bring is distinguished from a misspelt one: %s',
  (tool, awaited, mayCome) => {
    const { rules: made } = compileRules([aRule({ id: 'a', action: 'deny', tools: [tool] })], labelsOf);
    expect(unknownNames(made, { tools: [aTool()], sources: ['test'], awaited })[0]?.mayAppear).toBe(mayCome);
  },
);

test('an argument that no tool takes yet is awaited where the rule is about tools that may still come', () => {
  const { rules: made } = compileRules(
    [
      aRule({ id: 'a', action: 'deny', args: { path: { equals: 'x' } } }),
      aRule({ id: 'b', action: 'deny', tools: ['echo'], args: { path: { equals: 'x' } } }),
    ],
    labelsOf,
  );
  expect(
    unknownNames(made, { tools: [aTool()], sources: [], awaited: ['slow__'] }).map(({ mayAppear: mayCome }) => mayCome),
  ).toEqual([true, false]);
});

test('two rules of one id, invalid conditions and broken expressions are all reported at once', () => {
  const { problems } = compileRules(
    [
      aRule({ id: 'a', action: 'allow', args: { x: { cidr: ['no'] } } }),
      aRule({ id: 'a', action: 'deny', when: '1 +' }),
    ],
    labelsOf,
  );
  expect(problems.map(({ path }) => path)).toEqual([
    'policy.rules.0.args.x',
    'policy.rules.1.id',
    'policy.rules.1.when',
  ]);
});
