import { expect, test } from 'vitest';
import { metrics } from './metrics.js';

test('the breaker of an origin is a gauge and a count of changes [S2.31]', async () => {
  const numbers = metrics();
  numbers.originBreakerChanged('http://a:1', 'open');
  numbers.originBreakerChanged('http://a:1', 'half_open');
  const { body } = await numbers.text();
  expect(body).toContain('mcp_origin_circuit_breaker_state{origin="http://a:1"} 1');
  expect(body).toContain('mcp_origin_circuit_breaker_transitions_total{origin="http://a:1",state="open"} 1');
});

test('series stay few whatever is configured', async () => {
  const numbers = metrics();
  for (let at = 0; at < 1_100; at += 1) numbers.originBreakerChanged(`http://a:${at}`, 'open');
  expect((await numbers.text()).body.match(/^mcp_origin_circuit_breaker_state\{/gm)).toHaveLength(1_000);
});
