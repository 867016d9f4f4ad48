import { expect, test } from 'vitest';
import type { Json } from '../../src/core/json.js';
import { defineSource } from '../../src/embed/define.js';
import { attackedGate } from '../support/attacked-gate.js';
import { addresses, converted, names } from './rule-spellings.js';

// Spellings of denied values that reach a tool only if a rule misreads them. Each row is one call through the whole gate.

/** A gate with a tool that takes anything, and rules; returns the arguments that reached the tool. */
async function probe(rules: readonly object[], calls: readonly Record<string, Json>[]) {
  const reached: unknown[] = [];
  const { rest } = await attackedGate({ policy: { rules: [...rules, { id: 'rest', action: 'allow' }] } }, [
    defineSource({
      id: 'lab',
      tools: [
        {
          name: 'send',
          description: 'Sends a value',
          input: { type: 'object' },
          limits: { ratePerMinute: 1e6 },
          run(args) {
            reached.push(args);
            return 'sent';
          },
        },
      ],
    }),
  ]);
  for (const call of calls) await rest('ada', 'send', call);
  return reached;
}

const denied = (condition: object, name = 'a'): object => ({
  id: `no-${name}`,
  action: 'deny',
  tools: ['*'],
  args: { [name]: condition },
});
const asArguments = (values: readonly Json[]) => values.map((a) => ({ a }));

test(`a rule that denies networks stops ${addresses.length} spellings`, async () => {
  const networks = { cidr: ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', 'fe80::/10', 'fc00::/7', '::1'] };
  expect(await probe([denied(networks)], asArguments(addresses))).toEqual([]);
  // Values without a denied host: the table does not pass because everything is denied.
  const others = asArguments(['8.8.8.8', 'example.org', '', null, true, '/path', [], [[]]]);
  expect(await probe([denied(networks)], others)).toEqual(others);
}, 60_000);

test(`a rule that denies domains stops ${names.length} spellings`, async () => {
  const domains = { domain: ['evil.com', '*.evil.com', 'b\u00fccher.example', '*.b\u00fccher.example'] };
  expect(await probe([denied(domains)], asArguments(names))).toEqual([]);
  const others = asArguments(['good.com', 'notevil.com', 'evil.com.good.org', 'https://good.com/evil.com?x=a@b.com']);
  expect(await probe([denied(domains)], others)).toEqual(others);
}, 60_000);

test(`a rule that denies a value stops ${converted.length} conversions of it`, async () => {
  const rules = converted.map(([condition], index) => denied(condition, `a${index}`));
  const calls = converted.map(([, value], index) => ({ [`a${index}`]: value }));
  expect(await probe(rules, calls)).toEqual([]);
  const others = [{ a0: 'ls' }, { a3: { command: 'ls' } }, { a14: { value: 'ls' } }, { a32: '/srv/x' }];
  expect(await probe(rules, others)).toEqual(others);
}, 60_000);
