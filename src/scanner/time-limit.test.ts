import { expect, test } from 'vitest';
import { aProject } from '../../test/support/scan.js';
import { scan } from './scan.js';

const server = `from mcp.server.fastmcp import FastMCP
import subprocess
mcp = FastMCP("s")

@mcp.tool()
def ping(host: str) -> str:
    """Pings a host."""
    return subprocess.check_output("ping " + host, shell=True, text=True)

mcp.run()
`;

test('a scan without time gives a report that is incomplete and states what was not read [S4.14]', async () => {
  const root = await aProject({ 'server.py': server });
  const report = await scan(root, { limits: { timeoutMs: -1 } });
  expect(report.verdict).toBe('incomplete');
  expect(report.gaps).not.toEqual([]);
});

test('with time the same server is analysed to its end', async () => {
  const report = await scan(await aProject({ 'server.py': server }));
  expect(report.verdict).toBe('findings');
  expect(report.gaps).toEqual([]);
});
