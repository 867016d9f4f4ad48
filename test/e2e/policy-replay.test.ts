import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const active = 'audit: { keep_arguments: true }\npolicy: { rules: [{ id: rest, action: allow }] }\n';
const draft = `- { id: no-nine, action: deny, tools: [ping], args: { target: { equals: 127.0.0.9 } } }
- { id: ask, action: confirm, tools: [ping], args: { target: { equals: 127.0.0.8 } } }
- { id: rest, action: allow }
`;

test('policy replay decides recorded calls by a draft, with a running gate and without; nothing is installed', async () => {
  const cwd = aPlace({ 'toolgate.yaml': active, 'draft.yaml': draft, 'same.yaml': active });
  const gate = await serving(cwd);
  const ping = (target: string) => gate.send('/tools/ping/execute', { body: { target, count: 1 } });
  for (const target of ['127.0.0.9', '127.0.0.8', '127.0.0.1']) expect((await ping(target)).status).toBe(200);
  const sentence =
    'Of the last 3 calls, 1 would be refused, 1 asked, 1 allowed; 2 change, 0 cannot be decided from the record.';

  const running = await toolgate(cwd, ['policy', 'replay', 'draft.yaml']);
  expect(running).toMatchObject({ code: 3, err: expect.stringContaining('answered by gate') });
  expect(running.out).toContain(sentence);
  expect(running.out).toContain('ping by owner: allow -> deny no-nine');
  expect(running.out).toContain('ping by owner: allow -> confirm ask');
  expect((await ping('127.0.0.9')).status).toBe(200);

  // A whole configuration is a draft, too.
  const same = await toolgate(cwd, ['policy', 'replay', 'same.yaml', '--json']);
  expect(same.code).toBe(0);
  expect(JSON.parse(same.out)).toMatchObject({ calls: 4, changes: 0 });

  const alone = await toolgate(cwd, ['policy', 'replay', 'draft.yaml', '--alone', '--calls', '3', '--json']);
  expect(alone.code).toBe(3);
  expect(JSON.parse(alone.out)).toMatchObject({ calls: 3, counts: { deny: 1, confirm: 1, allow: 1 } });
});

test('a draft that cannot be read, parsed or compiled is refused with its reason', async () => {
  const cwd = aPlace({ 'toolgate.yaml': active });
  const replay = async (text: string | undefined, ...more: readonly string[]): Promise<string> => {
    if (text !== undefined) writeFileSync(join(cwd, 'draft.yaml'), text);
    const { code, err } = await toolgate(cwd, ['policy', 'replay', 'draft.yaml', ...more]);
    expect(code).toBe(more.length > 0 ? 2 : 1);
    return err;
  };
  expect(await replay(undefined)).toContain('draft.yaml: no such file');
  expect(await replay('policy: {}')).toContain('neither a list of rules nor a configuration with policy.rules');
  expect(await replay('[{ id: x, action: perhaps }]')).toContain('action');
  expect(await replay('[}')).toContain('draft.yaml');
  expect(await replay('[]', '--calls', '0')).toContain('--calls must be a whole number from 1 to 5000');
});
