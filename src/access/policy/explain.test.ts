import { expect, test } from 'vitest';
import { aRule, aTool, bob } from '../../../test/support/make.js';
import { control } from '../control.js';
import { explainer } from './explain.js';
import { flows } from '../flows/flows.js';
import type { Rule } from './policy.js';
import { accessPolicy, compileRules } from './policy.js';

const labelsOf = () => [];
const explainWith = (rules: readonly Rule[]) => {
  const policy = accessPolicy(compileRules(rules, labelsOf).rules);
  const memory = flows({ rules: [], labelsOf, conversations: 'session', rememberMs: 1000, maxConversations: 10 });
  return explainer({
    policy,
    labelsOf,
    control: control({ policy, flows: memory, labelsOf, confirmEffects: [] }),
    limits: () => [],
  });
};

test('a caller sees no rule about other principals or other tools; an administrator does', async () => {
  const explain = explainWith([
    aRule({ id: 'carol-may-wire-money', action: 'allow', principals: ['carol'] }),
    aRule({ id: 'about-another-tool', action: 'deny', tools: ['payroll'] }),
    aRule({ id: 'mine', action: 'allow', args: { text: { equals: 'x' } } }),
  ]);
  const asked = { principal: bob, tool: aTool(), args: { text: 'y' }, via: 'rest' } as const;
  const idsOf = (given: Awaited<ReturnType<typeof explain>>): string => JSON.stringify(given['almost']);
  expect(idsOf(await explain(asked))).toBe(
    '[{"rule":"mine","action":"allow","but":"args.text is missing or does not match"}]',
  );
  expect(idsOf(await explain({ ...asked, showsAllRules: true }))).toContain('carol-may-wire-money');
});
