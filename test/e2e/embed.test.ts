import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('the example of an embedded gateway works as its tests describe', async () => {
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', 'gate.test.mjs'], {
    cwd: fileURLToPath(new URL('../../examples/embed', import.meta.url)),
    // Set by the test runner of this process, and would make the child report to it.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => void (out += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(out).toMatch(/# pass 3\n/);
  expect(code, out).toBe(0);
});
