import { expect, test } from 'vitest';
import { aPlace } from '../../../test/support/toolgate.js';
import { defaultLimits, loadProject, loadWithImports } from '../../scanner/project/load.js';
import { walkFiles } from '../../scanner/project/walk.js';
import { surfaceOf } from '../../scanner/surface/scan.js';
import { reachableModules } from './reachable-modules.js';

const python = (name: string): string =>
  `@mcp.tool()\ndef ${name}(a: str) -> str:\n    """Does ${name}."""\n    return a\n`;
const head = 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\n';

test('a folder may hold several servers: only what a script reaches counts as its own', async () => {
  const place = aPlace({
    'a.py': `${head}${python('one')}mcp.run()\n`,
    'b.py': `${head}${python('two')}${python('same')}mcp.run()\n`,
    'c.py': `${head}${python('same')}mcp.run()\n`,
    'bare.py': 'print(1)\n',
  });
  const project = await loadProject(place);
  const names = (entry: string): readonly string[] =>
    surfaceOf(reachableModules(project, entry)).tools.map(({ name }) => name);
  expect(names('a.py')).toEqual(['one']);
  expect(names('b.py')).toEqual(['two', 'same']);
  expect(names('c.py')).toEqual(['same']);
  expect(surfaceOf(reachableModules(project, 'bare.py'))).toMatchObject({
    tools: [],
    unresolved: [{ kind: 'any', location: { file: 'bare.py' } }],
  });
});

test('what a script imports is its own, in both languages', async () => {
  const place = aPlace({
    'main.py': 'from tools import mcp\nmcp.run()\n',
    'tools.py': `${head}${python('deep')}`,
    'main.mjs': `import { server } from './more.mjs';\nawait server.connect(new StdioServerTransport());\n`,
    'more.mjs': `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nexport const server = new McpServer({ name: 'n', version: '1' });\nserver.registerTool('script', { description: 'd' }, async () => ({ content: [] }));\n`,
  });
  const project = await loadProject(place);
  expect(surfaceOf(reachableModules(project, 'main.py')).tools.map(({ name }) => name)).toEqual(['deep']);
  expect(surfaceOf(reachableModules(project, 'main.mjs')).tools.map(({ name }) => name)).toEqual(['script']);
  // Of a folder that is too large to be read at once, only that part is read, and says the same.
  const walked = await walkFiles(place, defaultLimits);
  for (const entry of ['main.py', 'main.mjs']) {
    const reached = await loadWithImports(walked, entry, defaultLimits);
    expect([...reached.modules.keys()]).toEqual([...reachableModules(project, entry).modules.keys()]);
    const whole = surfaceOf(reachableModules(project, entry));
    expect(surfaceOf(reached)).toEqual({ ...whole, bytes: reached.bytes });
  }
});
