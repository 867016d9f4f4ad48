import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const actions = async (place: string): Promise<readonly string[]> => {
  const { out } = await toolgate(place, ['audit', '--json']);
  return out
    .split('\n')
    .filter((line) => line.includes('"admin"'))
    .map((line) => {
      const record = JSON.parse(line);
      const { tool, via, principal, detail } = record.record ?? record;
      return `${detail.action} ${tool} via ${via} by ${principal}`;
    })
    .toSorted();
};

test('administrative actions of the command line are in the audit, also beside a running gateway', async () => {
  const place = aPlace({ 'toolgate.yaml': 'commands: { builtins: true }\n' });
  const gate = await serving(place);
  expect((await toolgate(place, ['token', 'create', '--name', 'bot'])).code).toBe(0);
  expect((await toolgate(place, ['token', 'revoke', 'bot'])).code).toBe(0);
  expect((await toolgate(place, ['token', 'renew'])).code).toBe(0);
  // What is refused did not happen, so it is not in the audit as allowed.
  for (const [code, ...refused] of [
    [2, 'create'],
    [2, 'create', '--name', 'b b'],
    [2, 'create', '--name', 'x', '--profile', 'none'],
    [2, 'create', '--name', 'x', '--expires', 'soon'],
    [1, 'revoke', 'nobody'],
    [2, 'revoke'],
  ] as const)
    expect([refused, (await toolgate(place, ['token', ...refused])).code]).toEqual([refused, code]);
  await gate.stop();
  expect(await actions(place)).toEqual([
    'token_create key:bot via cli by local',
    'token_renew owner via cli by local',
    'token_revoke key:bot via cli by local',
  ]);
  expect((await toolgate(place, ['audit', 'verify'])).code).toBe(0);
}, 90_000);
