import { expect, test } from 'vitest';
import { originBreakers, strictestThresholds } from './breakers.js';

const fail = (circuit: ReturnType<ReturnType<typeof originBreakers>['get']>): void => {
  const ticket = circuit.admit('ada');
  if (typeof ticket !== 'number') ticket('failure');
};

test('where several tools share an origin, the strictest thresholds count [S2.31]', () => {
  const all = strictestThresholds([
    ['http://a', { failures: 5, cooldownMs: 60_000 }],
    ['http://a', { failures: 2, cooldownMs: 30_000 }],
    ['http://b', { failures: 9, cooldownMs: 1 }],
  ]);
  expect([...all]).toEqual([
    ['http://a', { failures: 2, cooldownMs: 60_000 }],
    ['http://b', { failures: 9, cooldownMs: 1 }],
  ]);
});

test('a reload keeps the state of an origin that is still called, and begins anew where thresholds changed [S2.31]', () => {
  const breakers = originBreakers();
  const settings = { failures: 1, cooldownMs: 60_000 };
  breakers.use(
    new Map([
      ['http://a', settings],
      ['http://b', settings],
    ]),
  );
  fail(breakers.get('http://a'));
  fail(breakers.get('http://b'));
  breakers.use(
    new Map([
      ['http://a', { ...settings }],
      ['http://b', { failures: 2, cooldownMs: 60_000 }],
    ]),
  );
  expect([breakers.get('http://a').status().state, breakers.get('http://b').status().state]).toEqual([
    'open',
    'closed',
  ]);
});

test('changes of state are reported with their origin [S2.31]', () => {
  const told: string[] = [];
  const breakers = originBreakers({ onBreaker: (...change) => told.push(change.join(' ')) });
  breakers.use(new Map([['http://a', { failures: 1, cooldownMs: 60_000 }]]));
  fail(breakers.get('http://a'));
  breakers.get('http://a').reset();
  expect(told).toEqual(['http://a closed open', 'http://a open closed']);
});

test('an origin that is not configured has the default thresholds [S2.8]', () => {
  const circuit = originBreakers().get('http://c');
  for (let time = 0; time < 4; time += 1) fail(circuit);
  expect(circuit.status().state).toBe('closed');
  fail(circuit);
  expect(circuit.status().state).toBe('open');
});
