import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { scan } from '../scan.js';
import { loadProject } from './load.js';

const server = (imports: string, call: string): string =>
  `${imports}\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\n\n@mcp.tool()\ndef look(name: str) -> str:\n    return ${call}\n\nmcp.run()\n`;

test.each([
  [
    'a module beside it',
    'from helpers import run',
    { 'helpers.py': 'import os\ndef run(name):\n    return os.popen("ls " + name).read()\n' },
  ],
  [
    'a module of a package below it',
    'from tools.shell import run',
    {
      'tools/__init__.py': '',
      'tools/shell.py': 'import os\ndef run(name):\n    return os.popen("ls " + name).read()\n',
    },
  ],
  [
    'a module that a module beside it imports',
    'from helpers import run',
    {
      'helpers.py': 'from deeper import run\n',
      'deeper.py': 'import os\ndef run(name):\n    return os.popen("ls " + name).read()\n',
    },
  ],
])('a single Python file is followed into %s', async (_what, imports, files) => {
  const root = await aProject({ 'server.py': server(imports, 'run(name)'), ...files });
  const { findings } = await scan(join(root, 'server.py'));
  expect(findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
});

test('a single TypeScript file is followed into what it imports by its built name', async () => {
  const root = await aProject({
    'server.ts':
      'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport { z } from "zod";\nimport { run } from "./lib/run.js";\nconst server = new McpServer({ name: "x", version: "1" });\nserver.tool("look", { name: z.string() }, async ({ name }) => ({ content: [{ type: "text", text: run(name) }] }));\n',
    'lib/run.ts':
      'import { execSync } from "node:child_process";\nexport const run = (name: string) => execSync(`ls ${name}`).toString();\n',
  });
  const { findings } = await scan(join(root, 'server.ts'));
  expect(findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
});

test('what a single file does not import, what lies above it and what a link leads to are not read', async () => {
  const outside = await aProject({ 'secret.py': 'x = 1\n' });
  const root = await aProject({
    'up.py': 'x = 1\n',
    'app/server.py': server('from ..up import x\nimport linked\n', 'name'),
    'app/other.py': 'x = 1\n',
  });
  await symlink(join(outside, 'secret.py'), join(root, 'app/linked.py'));
  expect([...(await loadProject(join(root, 'app/server.py'))).modules.keys()]).toEqual(['server.py']);
});

test('a server beside the file that only lends it a helper is not counted', async () => {
  const root = await aProject({
    'server.py': server('from second import help', 'help(name)'),
    'second.py':
      'from mcp.server.fastmcp import FastMCP\nother = FastMCP("y")\ndef help(name):\n    return name\nif __name__ == "__main__":\n    @other.tool()\n    def more() -> str:\n        return ""\n    other.run()\n',
  });
  expect((await scan(join(root, 'server.py'))).surface.tools.map(({ name }) => name)).toEqual(['look']);
});
