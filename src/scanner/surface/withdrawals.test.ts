import { describe, expect, test } from 'vitest';
import { surfaceOfFiles } from '../../../test/support/scan.js';

const fast =
  'from fastmcp import FastMCP\nfrom fastmcp.server.middleware import Middleware\nimport os\nmcp = FastMCP("x")\n';
const two = '@mcp.tool()\ndef a(): ...\n@mcp.tool()\ndef b(): ...\n';
const sdk =
  'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst server = new McpServer({ name: "x" });\n';
const cb = 'async () => ({ content: [] })';

const seen = async (file: string, text: string) => {
  const { tools, unresolved } = await surfaceOfFiles({ [file]: text });
  return { names: tools.map((tool) => tool.name).sort(), reasons: unresolved.map(({ reason }) => reason) };
};

describe('what a server takes back is not shown as offered', () => {
  test.each<[string, string, string, string[]]>([
    ['a tool removed by name', 's.py', `${fast}${two}mcp.remove_tool("a")\n`, ['b']],
    ['a tool removed from a part of the server', 's.py', `${fast}${two}mcp.local_provider.remove_tool("a")\n`, ['b']],
    ['a tool popped from the store', 's.py', `${fast}${two}mcp._tool_manager._tools.pop("a", None)\n`, ['b']],
    [
      'a tool that was never enabled',
      's.py',
      `${fast}@mcp.tool(enabled=False)\ndef a(): ...\n@mcp.tool(enabled=True)\ndef b(): ...\n`,
      ['b'],
    ],
    [
      'a handle that removes',
      's.ts',
      `${sdk}const a = server.registerTool("a", {}, ${cb}); server.registerTool("b", {}, ${cb}); a.remove();`,
      ['b'],
    ],
    [
      'a handle that disables',
      's.ts',
      `${sdk}server.registerTool("a", {}, ${cb}).disable(); server.tool("b", ${cb});`,
      ['b'],
    ],
  ])('%s', async (_title, file, text, names) => {
    expect(await seen(file, text)).toEqual({ names, reasons: [] });
  });
});

describe('what may or may not be offered is shown, and said', () => {
  test.each<[string, string, string, string]>([
    [
      'a tool removed under a condition',
      's.py',
      `${fast}${two}if os.environ.get("API_URL") == "x":\n    mcp.remove_tool("a")\n`,
      'a may be removed at run time',
    ],
    [
      'a tool removed by a computed name',
      's.py',
      `${fast}${two}for name in os.environ["HIDDEN_PATH"].split(","):\n    mcp.remove_tool(name)\n`,
      'something may be removed at run time',
    ],
    [
      'a tool enabled by a setting',
      's.py',
      `${fast}@mcp.tool(enabled=os.environ["API_URL"] == "x")\ndef a(): ...\n@mcp.tool()\ndef b(): ...\n`,
      'the enabled items depend on settings',
    ],
    [
      'a filter by tags',
      's.py',
      `${fast.replace('"x"', '"x", exclude_tags={"private"}')}${two}`,
      'a tag filter changes what is offered',
    ],
    ['tools hidden by name', 's.py', `${fast}${two}mcp.disable(names={"a"})\n`, 'what is visible changes at run time'],
    [
      'a middleware that answers lists',
      's.py',
      `${fast}${two}class Hide(Middleware):\n    async def on_list_tools(self, context, call_next):\n        return []\nmcp.add_middleware(Hide())\n`,
      'a middleware changes the list at run time',
    ],
    [
      'a handle that renames',
      's.ts',
      `${sdk}const a = server.registerTool("a", {}, ${cb}); server.registerTool("b", {}, ${cb}); a.update({ name: "c" });`,
      'a may be changed at run time',
    ],
    [
      'a handle that disables later',
      's.ts',
      `${sdk}const a = server.registerTool("a", {}, ${cb}); server.registerTool("b", {}, ${cb}); setTimeout(() => a.disable(), 10);`,
      'a may be removed at run time',
    ],
  ])('%s', async (_title, file, text, reason) => {
    const { names, reasons } = await seen(file, text);
    expect(names).toEqual(['a', 'b']);
    expect(reasons).toContain(reason);
  });

  test('a middleware that leaves lists alone has no effect', async () => {
    const text = `${fast}${two}class Log(Middleware):\n    async def on_call_tool(self, context, call_next):\n        return await call_next(context)\nmcp.add_middleware(Log())\n`;
    expect(await seen('s.py', text)).toEqual({ names: ['a', 'b'], reasons: [] });
  });
});

test('a package that only names its start, whose code is elsewhere, is reported', async () => {
  const { tools, unresolved } = await surfaceOfFiles({
    'x-1.dist-info/entry_points.txt': '[console_scripts]\nx = other.server:main\n',
  });
  expect(tools).toEqual([]);
  expect(unresolved).toMatchObject([{ reason: 'the entry point is in code outside the scanned folder' }]);
});
