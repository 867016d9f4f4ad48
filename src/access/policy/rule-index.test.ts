import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aCall, aRule, aTool } from '../../../test/support/make.js';
import type { Json } from '../../core/json.js';
import { labeller } from '../flows/labels.js';
import type { Rule } from './policy.js';
import { accessPolicy, compileRules } from './policy.js';

const labelsOf = labeller({ derive: true, labels: {} });
const tool = aTool();

/** Values that conditions may take for one another, and neighbours that they must not. */
const value: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  5,
  '5',
  ' 5.0 ',
  0,
  -0,
  '',
  ' ',
  true,
  'true',
  null,
  'null',
  'a',
  'A',
  1e21,
  '1e21',
  'Infinity',
  '0x5',
  6,
);
const argument: fc.Arbitrary<Json> = fc.oneof(value, fc.array(value, { maxLength: 2 }), fc.constant({ b: 1 }));
const condition = fc.oneof(
  fc.record({ equals: argument, optional: fc.boolean() }, { requiredKeys: ['equals'] }),
  fc.record({ one_of: fc.array(value, { minLength: 1, maxLength: 3 }) }),
  fc.record({ equals: value, min: fc.constant(1) }),
  fc.constant({ glob: ['a*'] }),
);
const names = (...all: string[]) => fc.subarray(all, { maxLength: 2 });
const rule = fc.record({
  action: fc.constantFrom<Rule['action']>('allow', 'deny', 'confirm'),
  principals: names('ada', 'bob', 'b*', '*'),
  roles: names('admin', 'user'),
  doors: names('rest', 'mcp') as fc.Arbitrary<Rule['doors']>,
  args: fc.dictionary(fc.constantFrom('text', 'n', 'deep.b'), condition, { maxKeys: 2 }),
});
const caller = fc.record({
  id: fc.constantFrom('ada', 'bob', 'eve'),
  roles: names('admin', 'user', 'other'),
});

const complete = (part: Partial<Rule>, at: number): Rule => aRule({ id: `r${at}`, action: 'allow', ...part });

test('the index decides as the linear search does', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 8, maxLength: 40 }),
      fc.array(fc.tuple(caller, fc.dictionary(fc.constantFrom('text', 'n', 'deep'), argument)), { minLength: 1 }),
      (parts, calls) => {
        const { rules } = compileRules(parts.map(complete), labelsOf);
        const policy = accessPolicy(rules);
        for (const [{ id, roles }, args] of calls) {
          const call = aCall({ principal: { id, name: id, kind: 'token', roles }, args });
          const linear = rules.find(
            (each) =>
              each.forTool(tool) &&
              each.forPrincipal(call.principal) &&
              each.mismatches(call, () => ({}) as never, false).length === 0, // no rule here has an expression
          );
          expect(policy.rule(call, tool, () => ({}) as never)).toEqual(
            linear === undefined ? { kind: 'deny' } : { kind: linear.rule.action, rule: linear.rule },
          );
        }
      },
    ),
    { numRuns: 1_500 },
  );
});

test('a call meets few of a thousand rules about one tool', () => {
  let met = 0;
  const count = 1_000;
  const made = compileRules(
    Array.from({ length: count }, (_, n) =>
      complete(
        n % 3 === 0
          ? { principals: [`user-${n}`] }
          : n % 3 === 1
            ? { roles: [`role-${n}`] }
            : { args: { text: { equals: `value ${n}` } } },
        n,
      ),
    ),
    labelsOf,
  );
  const counted = made.rules.map((each) => ({
    ...each,
    forPrincipal: (principal: Parameters<typeof each.forPrincipal>[0]) => {
      met += 1;
      return each.forPrincipal(principal);
    },
  }));
  const policy = accessPolicy(counted);
  const call = aCall({
    principal: { id: 'user-999', name: 'u', kind: 'token', roles: ['role-997'] },
    args: { text: 'value 998' },
  });
  expect(policy.rule(call, tool, () => ({}) as never)).toMatchObject({ rule: { id: 'r997' } });
  expect(met).toBe(1);
});
