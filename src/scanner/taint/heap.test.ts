import { describe, expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { scan } from '../scan.js';
import { pythonHeap, scriptHeap } from './fixtures/heap.js';

const bugs = async (file: string, text: string): Promise<readonly string[]> =>
  (await scan(await aProject({ [file]: text }), { heuristics: false })).findings
    .filter(({ kind }) => kind === 'bug')
    .map(({ rule }) => rule);

describe('data of the caller is followed through the heap', () => {
  test.each(pythonHeap)('Python: $name', async ({ rule, bad, good }) => {
    expect(await bugs('server.py', bad)).toContain(rule);
    expect(await bugs('server.py', good)).not.toContain(rule);
  });
  test.each(scriptHeap)('JavaScript: $name', async ({ rule, bad, good }) => {
    expect(await bugs('server.mjs', bad)).toContain(rule);
    expect(await bugs('server.mjs', good)).not.toContain(rule);
  });
});

test('objects that share their parts are examined in bounded time and memory', async () => {
  const levels = Array.from({ length: 40 }, (_, at) => `    o${at + 1} = {"a": o${at}, "b": o${at}, "c": o${at}}`).join(
    '\n',
  );
  const server = `import os
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("s")
ALLOWED = [1, 2]
@mcp.tool()
def check(host: str) -> str:
    o0 = {"h": host}
${levels}
    if o40 in ALLOWED:
        return "known"
    os.system("ping " + host)
    return "ok"
mcp.run()
`;
  expect(await bugs('server.py', server)).toContain('TG-TAINT-CMD');
});
