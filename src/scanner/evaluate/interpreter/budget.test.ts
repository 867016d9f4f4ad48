import { expect, test } from 'vitest';
import { surfaceOfFiles } from '../../../../test/support/scan.js';

const server = (idle: string): string => `from mcp.server.fastmcp import FastMCP
from framework import task
mcp = FastMCP("x")
def label(text):
    return "tool_" + text
${idle}
mcp.tool(name=label("one"))(print)
def two():
    pass
mcp.add_tool(two, name=label("two"))
mcp.run()
`;

test('a helper that idle code has used up still answers where tools are registered', async () => {
  const idle = `@task
def work():
    for each in [${Array.from({ length: 900 }, (_, at) => `"${at}"`).join(', ')}]:
        label(each)
`;
  const { tools, unresolved } = await surfaceOfFiles({ 'server.py': server(idle) });
  expect(tools.map(({ name }) => name)).toContain('tool_two');
  expect(unresolved.filter(({ reason }) => reason.includes('ended early'))).toEqual([]);
});
