import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const file = (name: string): string => fileURLToPath(new URL(`../clients/${name}`, import.meta.url));
const places: { python: string; inspector: string } = await import(file('places.mjs'));
const server = file('server.mjs');

let gateway: ChildProcess;
let url = '';
beforeAll(async () => {
  gateway = spawn(process.execPath, [server, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  url = await new Promise((resolve) => gateway.stdout?.once('data', (line) => resolve(String(line).trim())));
});
afterAll(() => {
  gateway.stdin?.end();
});

const run = (command: string, args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> =>
  new Promise((resolve, reject) => {
    execFile(command, args, { timeout: 60_000 }, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${error?.message ?? 'no JSON'}\n${stdout}\n${stderr}`));
      }
    });
  });

const everything = {
  tools: expect.arrayContaining(['ask', 'change', 'echo', 'fail', 'steps', 'sum']),
  echo: 'héllo',
  sum: { sum: 3 },
  steps: 'walked',
  ask: 'accept true',
  fail: true,
  unknown: -32602,
  prompt: 'Hello you',
  resource: 'A',
  progress: [1, 2],
};
const modern = '2026-07-28';
const legacy = '2025-11-25';
const places2 = [
  ['HTTP', () => url],
  ['stdio', () => server],
] as const;

describe.each(places2)('over %s', (_name, where) => {
  test.each([
    ['auto', modern],
    ['legacy', legacy],
    [modern, modern],
  ])('the TypeScript client v2 in mode %s uses %s and everything works', { timeout: 90_000 }, async (mode, era) => {
    expect(await run(process.execPath, [file('sdk2.mjs'), mode, where()])).toEqual({
      era,
      changed: true,
      ...everything,
    });
  });

  test('the TypeScript client v1 uses 2025-11-25 and everything works', { timeout: 90_000 }, async () => {
    expect(await run(process.execPath, [file('sdk1.mjs'), where()])).toEqual({
      era: legacy,
      changed: true,
      ...everything,
    });
  });

  const hasPython = existsSync(places.python);
  if (!hasPython)
    console.log('skipped: the Python clients are not installed; node test/clients/install.mjs brings them');
  const clients = ['python_mcp.py', 'python_fastmcp.py'].flatMap(
    (client) =>
      [
        [client, 'auto', modern],
        [client, 'legacy', legacy],
      ] as const,
  );
  test.skipIf(!hasPython).each(clients)(
    '%s in mode %s uses %s and everything works',
    { timeout: 90_000 },
    async (client, mode, era) => {
      expect(await run(places.python, [file(client), mode, where()])).toEqual({ era, ...everything });
    },
  );
});

const hasInspector = existsSync(places.inspector);
if (!hasInspector) console.log('skipped: the inspector is not installed; node test/clients/install.mjs brings it');
test.skipIf(!hasInspector)('the inspector lists and calls from its command line', { timeout: 90_000 }, async () => {
  const overHttp = [url, '--transport', 'http', '--header', 'Authorization: Bearer test-token-1'];
  const listed = await run(places.inspector, ['--cli', ...overHttp, '--method', 'tools/list']);
  expect(listed.tools.map((tool: { name: string }) => tool.name)).toContain('echo');
  const called = await run(places.inspector, [
    '--cli',
    'node',
    server,
    'stdio',
    '--method',
    'tools/call',
    '--tool-name',
    'echo',
    '--tool-arg',
    'text=hi',
  ]);
  expect(called.content).toEqual([{ type: 'text', text: 'hi' }]);
});
