import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aProject, surfaceOfFiles } from '../../../test/support/scan.js';
import { formatSurfaceJson, formatSurfaceText, scanSurface } from '../index.js';

/** Two registered tools, one function that only looks like one, one helper. */
const example = `# server.py
from mcp import Server
from mcp.server.stdio import stdio_server

server = Server("sample")

@server.tool()
def read_file(path: str):
    """Give back what a file holds."""
    with open(path) as handle:
        return handle.read()

@server.tool()
def calculate(a: int, b: int):
    """Add two numbers up."""
    return a + b

def helper_function():
    """Nobody's tool."""

def handle_request(req):
    """Looks like one."""

if __name__ == "__main__":
    stdio_server(server)
`;

test('the example server gives its three tools, stdio and no auth signals, as JSON [S4.16] [S4.18] [S4.2]', async () => {
  const report = await scanSurface(join(await aProject({ 'server.py': example }), 'server.py'));
  const { surface } = JSON.parse(formatSurfaceJson(report));
  expect(Object.keys(surface).slice(0, 5)).toEqual(['tools', 'resources', 'prompts', 'transport', 'auth_signals']);
  expect(surface).toMatchObject({ resources: [], prompts: [], transport: 'stdio', auth_signals: [] });
  expect(surface.tools).toMatchObject([
    {
      name: 'read_file',
      description: 'Give back what a file holds.',
      decorators: ['server.tool'],
      confidence: 'certain',
      handler: {
        function_name: 'read_file',
        file_name: 'server.py',
        location: { file: 'server.py', start_line: 8, end_line: 11 },
      },
      location: { file: 'server.py', start_line: 7, end_line: 11 },
    },
    {
      name: 'calculate',
      decorators: ['server.tool'],
      handler: { location: { start_line: 14 } },
      schema: { properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
    },
    {
      name: 'handle_request',
      decorators: [],
      confidence: 'heuristic',
      handler: { function_name: 'handle_request', location: { start_line: 21 } },
    },
  ]);
  expect(surface.tools).toHaveLength(3);
});

test('the text form shows the same for people [S4.17] [S4.4]', async () => {
  const text = formatSurfaceText(
    await surfaceOfFiles(
      { 'server.py': `${example.replace('return a + b', 'return set_authorization_header(a + b)')}` },
      {},
    ),
  );
  expect(text).toBe(`MCP Surface Analysis
====================
SDK Detected: Python Official (mcp)
Transport: STDIO

Tools (3):
  1. read_file
     Description: "Give back what a file holds."
     Handler: server.py:8
  2. calculate
     Description: "Add two numbers up."
     Handler: server.py:14
  3. handle_request (heuristic)
     Description: "Looks like one."
     Handler: server.py:21

Resources: None
Prompts: None

Auth Signals:
  - header: set_authorization_header (server.py:16)
`);
});

test('text from the scanned code cannot repaint the terminal', async () => {
  const report = await surfaceOfFiles({
    'server.py':
      'from fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool(name="a\\x1b[2Jb\\u202e", description="line\\nline \\x07")\ndef f(): ...\n',
  });
  const text = formatSurfaceText(report);
  expect(text).toContain('1. a\\u001b[2Jb\\u202e');
  expect(text).toContain('"line line \\u0007"');
});

test('two runs over the same tree give the same bytes', async () => {
  const root = await aProject({
    'b/server.py': example,
    'a/index.js':
      'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst s = new McpServer({});\ns.tool("x", "y", async () => {});\n',
    'package.json': '{"main":"a/index.js"}',
  });
  const [one, other] = [await scanSurface(root), await scanSurface(root)];
  expect(formatSurfaceJson(other)).toBe(formatSurfaceJson(one));
});
