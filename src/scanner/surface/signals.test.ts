import { describe, expect, test } from 'vitest';
import { surfaceOfFiles } from '../../../test/support/scan.js';
import { signalOf, splitWords } from './auth.js';
import { looksLikeTool } from './heuristics.js';
import { scriptSdkOf, sdkOf } from './sdk.js';

const fast = 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool\ndef a(): ...\n';

describe('transports [S4.11] [S4.4]', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['run without arguments is stdio', { 'a.py': `${fast}mcp.run()\n` }, ['stdio']],
    ['a named transport', { 'a.py': `${fast}mcp.run(transport="streamable-http", port=1)\n` }, ['http']],
    [
      'a choice of transports is a set',
      { 'a.py': `${fast}import sys\nmcp.run(transport="sse" if len(sys.argv) > 1 else "stdio")\n` },
      ['stdio', 'http'],
    ],
    ['a client of HTTP is no server', { 'a.py': `import httpx\nimport boto3_aws_news\n${fast}mcp.run()\n` }, ['stdio']],
    [
      'a transport class',
      {
        'package.json': '{"main":"i.js"}',
        'i.js':
          'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\nconst s = new McpServer({}); s.tool("a", async () => {});\nawait s.connect(new StdioServerTransport());',
      },
      ['stdio'],
    ],
    [
      'several files are united [S4.12]',
      {
        'a.py': `${fast}import b\nmcp.run()\n`,
        'b.py': 'from fastmcp import FastMCP\nFastMCP("y").run(transport="http")\n',
      },
      ['stdio', 'http'],
    ],
    [
      'a framework by its import where nothing is started',
      { 'a.py': `from fastapi import FastAPI\n${fast}` },
      ['http'],
    ],
    ['nothing known', { 'a.py': fast }, []],
  ])('%s', async (_name, files, expected) => {
    expect((await surfaceOfFiles(files)).transports).toEqual(expected);
  });
});

describe('signs of authentication [S4.5] [S4.13]', () => {
  test.each([
    ['set_cookie', 'cookie'],
    ['getCookies', 'cookie'],
    ['setHeader', 'header'],
    ['set_authorization_header', 'header'],
    ['verifyOAuthState', 'oauth_state'],
    ['generate_nonce', 'oauth_state'],
    ['check_state', 'oauth_state'],
    ['setState', undefined],
    ['prepare_statement', undefined],
    ['useState', undefined],
    ['announce', undefined],
    ['subheadersize', undefined],
    ['get_state', undefined],
  ])('%s is the signal %s', (name, expected) => {
    expect(signalOf(name)).toBe(expected);
  });

  test('a signal has its line and its text', async () => {
    const { authSignals } = await surfaceOfFiles({ 'a.py': `${fast}def f(response):\n    response.set_cookie("a")\n` });
    expect(authSignals).toEqual([
      {
        type: 'cookie',
        name: 'set_cookie',
        location: { file: 'a.py', start_line: 6 },
        evidence: 'response.set_cookie("a")',
      },
    ]);
  });

  test('a name is cut at humps, acronyms and signs', () => {
    expect(splitWords('parseHTTPHeaders2.x_y-z')).toEqual(['parse', 'http', 'headers2', 'x', 'y', 'z']);
  });
});

describe('names that suggest tools [S4.9] [S4.10]', () => {
  test.each(['handle_x', 'TOOL_x', 'execute_it', 'run_job', 'do_it', 'my_tool', 'x_Handler', 'an_action', 'a_command'])(
    '%s does',
    (name) => expect(looksLikeTool(name)).toBe(true),
  );
  test.each(['handler', 'toolbox', 'undo_it', 'commander', 'x_tools'])('%s does not', (name) =>
    expect(looksLikeTool(name)).toBe(false),
  );

  test('functions and methods count, beside an SDK import, unless other code calls them or they are left out', async () => {
    const files = {
      'a.py': `${fast}class T:\n    def run_method(self): ...\ndef handle_error(): ...\ndef do_free(): ...\nhandle_error()\n`,
      'b.py': 'def run_elsewhere(): ...\n',
    };
    const suggested = (await surfaceOfFiles(files, {})).tools
      .filter((tool) => tool.confidence === 'heuristic')
      .map((tool) => tool.name);
    expect(suggested).toEqual(['run_method', 'do_free']);
    expect((await surfaceOfFiles(files, { heuristics: false })).tools.map((tool) => tool.name)).toEqual(['a']);
  });
});

describe('SDKs [S4.6]', () => {
  test.each([
    ['mcp', 'python-official'],
    ['mcp.server.fastmcp', 'python-official'],
    ['fastmcp.tools', 'python-fastmcp'],
    ['mcpx', undefined],
    ['my.mcp', undefined],
  ])('Python %s is %s', (source, sdk) => expect(sdkOf(source)).toBe(sdk));
  test.each([
    ['@modelcontextprotocol/sdk/server/mcp.js', 'typescript-official'],
    ['@modelcontextprotocol/server', 'typescript-v2'],
    ['@modelcontextprotocol/server/stdio', 'typescript-v2'],
    ['@modelcontextprotocol/client', 'typescript-v2'],
    ['fastmcp', 'npm-fastmcp'],
    ['@modelcontextprotocol/sdkx', undefined],
    ['@modelcontextprotocol/inspector', undefined],
  ])('npm %s is %s', (source, sdk) => expect(scriptSdkOf(source)).toBe(sdk));

  test('all that are found are reported', async () => {
    const { sdks } = await surfaceOfFiles({
      'a.py': `import mcp.types\n${fast}`,
      'i.js': 'const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");',
    });
    expect(sdks.map((each) => each.sdk)).toEqual(['python-fastmcp', 'python-official', 'typescript-official']);
  });
});
