import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';
import { serverFile } from '../support/upstream.js';

const rule = (id: string, tool: string): string =>
  `    - { id: ${id}, action: deny, tools: [${tool}], args: { text: { equals: x } }, reason: No }\n`;
const config = (rules: string, args: readonly string[], more = ''): string => `policy:
  rules:
${rules}    - { id: rest, action: allow }
sources:
  slow: { kind: mcp, command: ${process.execPath}, args: ${JSON.stringify(args)}${more} }
`;

test('a rule about a tool of a source that is still starting does not stop the gateway: it is awaited, and holds once the source is there', async () => {
  const place = aPlace();
  const until = join(place, 'go');
  writeFileSync(
    join(place, 'toolgate.yaml'),
    config(
      rule('no-echo', 'slow__echo') + rule('typo', 'slow__ecko'),
      [serverFile, '--until', until],
      ', startup_budget: 0.2',
    ),
  );
  const gate = await serving(place);
  expect(gate.banner).toContain('starting   slow: is still starting');
  await gate.logged('policy.waiting');
  expect(gate.log()).toContain('policy.rules.0.tools.0 matches no tool: slow__echo');
  writeFileSync(until, '');
  await eventually(
    () => gate.send('/tools/slow__echo/execute', { body: { text: 'x' } }),
    ({ status }) => status === 403,
  );
  await gate.logged('policy.misnamed');
  expect(
    gate
      .log()
      .split('\n')
      .filter((line) => line.includes('policy.misnamed'))
      .join(),
  ).toMatch(/policy\.rules\.1\.tools\.0 matches no tool: slow__ecko(?!.*slow__echo)/);
  await eventually(
    () => gate.send('/health'),
    ({ text }) => text.includes('policy'),
  );
});

test.each([
  ['is switched off', [], ', enabled: false'],
  ['fails', ['--fail', 'start'], ''],
  ['has everything withheld', [], ', admission: strict'],
])('nor does a rule about a tool of a source that %s', async (_, args, more) => {
  const place = aPlace({ 'toolgate.yaml': config(rule('no-echo', 'slow__echo'), [serverFile, ...args], more) });
  expect(await toolgate(place, ['tools'])).toMatchObject({ code: 0 });
});

test('a misspelt name that no source can bring stops the start, whatever another source does', async () => {
  const place = aPlace({ 'toolgate.yaml': config(rule('typo', 'slwo__echo'), [serverFile], ', enabled: false') });
  const ended = await toolgate(place, ['tools']);
  expect(ended.code).not.toBe(0);
  expect(ended.err).toContain('matches no tool: slwo__echo');
});
