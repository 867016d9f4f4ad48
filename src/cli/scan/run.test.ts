import { expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { runScan } from './run.js';

const server = `from mcp.server.fastmcp import FastMCP
mcp = FastMCP("s")

@mcp.tool()
def echo(text: str) -> str:
    """Echoes a text."""
    return text

mcp.run()
`;

test('a target that does not end in time is reported as incomplete, with the reason [S4.14]', async () => {
  const source = await aProject({ 'server.py': server });
  const printed: string[] = [];
  const io = {
    out: (text: string) => void printed.push(text),
    err: () => {},
    json: false,
    showsProgress: false,
    signal: new AbortController().signal,
  };
  const job = {
    verb: 'scan',
    format: 'json',
    failOn: 'high',
    baseline: undefined,
    rules: undefined,
    heuristics: false,
  } as const;
  // No worker thread starts within a millisecond, so that the limit is always exceeded.
  expect(await runScan([{ name: 'slow', source }], job, io, 1)).toBe(2);
  const report: unknown = JSON.parse(printed.join(''));
  expect(report).toMatchObject({ verdict: 'incomplete' });
  expect(JSON.stringify(report)).toContain('the analysis did not end within 1 s');
});
