import { expect, test } from 'vitest';
import { aPlace } from '../../../test/support/toolgate.js';
import { loadProject } from '../../scanner/project/load.js';
import { surfaceOf } from '../../scanner/surface/scan.js';
import { ownPart } from './own-part.js';

const python = (name: string): string => `@mcp.tool()\ndef ${name}(a: str) -> str:\n    """Does ${name}."""\n    return a\n`;
const head = 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\n';

test('a folder may hold several servers: only what a script reaches counts as its own', async () => {
  const place = aPlace({ 'a.py': `${head}${python('one')}mcp.run()\n`, 'b.py': `${head}${python('two')}mcp.run()\n`, 'bare.py': 'print(1)\n' });
  const project = await loadProject(place);
  const whole = surfaceOf(project);
  const names = (entry: string): readonly string[] => ownPart(project, whole, entry).tools.map(({ name }) => name);
  expect(names('a.py')).toEqual(['one']);
  expect(names('b.py')).toEqual(['two']);
  expect(ownPart(project, whole, 'bare.py')).toMatchObject({ tools: [], unresolved: [{ kind: 'any', location: { file: 'bare.py' } }] });
});

test('what a script imports is its own, in both languages', async () => {
  const place = aPlace({
    'main.py': 'from tools import mcp\nmcp.run()\n', 'tools.py': `${head}${python('deep')}`,
    'main.mjs': `import { server } from './more.mjs';\nawait server.connect(new StdioServerTransport());\n`,
    'more.mjs': `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nexport const server = new McpServer({ name: 'n', version: '1' });\nserver.registerTool('script', { description: 'd' }, async () => ({ content: [] }));\n`,
  });
  const project = await loadProject(place);
  const whole = surfaceOf(project);
  expect(ownPart(project, whole, 'main.py').tools.map(({ name }) => name)).toEqual(['deep']);
  expect(ownPart(project, whole, 'main.mjs').tools.map(({ name }) => name)).toEqual(['script']);
});
