import { describe, expect, test } from 'vitest';
import { join } from 'node:path';
import { aProject } from '../../../test/support/scan.js';
import { scan } from '../scan.js';

const tool = (name: string): string =>
  `import { exec } from 'node:child_process';
export function addTools(server) {
  server.registerTool('${name}', { description: 'Runs', inputSchema: { host: z.string() } }, async ({ host }) => {
    exec('ping ' + host);
    return { content: [] };
  });
}
import { z } from 'zod';
`;
const main = (from: string): string => `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { addTools } from '${from}';
const server = new McpServer({ name: 's', version: '1' });
addTools(server);
await server.connect(new StdioServerTransport());
`;
const manifest = (name: string, entry: string, dependencies: Record<string, string> = {}): string =>
  JSON.stringify({ name, version: '1.0.0', type: 'module', main: entry, bin: { s: entry }, dependencies });

const server = {
  'package.json': manifest('@acme/server', 'index.js', { '@acme/tools': '^1.2.0' }),
  'index.js': main('@acme/tools'),
};

describe('dependencies that hold the tools of a server', () => {
  test('are read from node_modules', async () => {
    const root = await aProject({
      ...server,
      'node_modules/@acme/tools/package.json': manifest('@acme/tools', 'index.js'),
      'node_modules/@acme/tools/index.js': tool('ping'),
    });
    expect((await scan(root)).verdict).toBe('incomplete');
    const { surface, findings } = await scan(root, { dependencies: 'installed' });
    expect(surface.tools.map(({ name }) => name)).toEqual(['ping']);
    expect(findings.map(({ rule, location }) => `${rule} ${location.file}`)).toContain(
      'TG-TAINT-CMD node_modules/@acme/tools/index.js',
    );
  });

  test('are fetched at the lowest allowed version if absent, through thin packages, and within bounds', async () => {
    const store = await aProject({
      'a/package.json': manifest('@acme/tools', 'index.js', { '@acme/core': '2.0.0' }),
      'a/index.js': "export { addTools } from '@acme/core';\n",
      'b/package.json': manifest('@acme/core', 'index.js'),
      'b/index.js': tool('deep'),
    });
    const asked: string[] = [];
    const fetch = async ({ name, version }: { name: string; version: string | undefined }) => {
      asked.push(`${name}@${version}`);
      return join(store, name === '@acme/tools' ? 'a' : 'b');
    };
    const { surface } = await scan(await aProject(server), { dependencies: fetch });
    expect(asked).toEqual(['@acme/tools@1.2.0', '@acme/core@2.0.0']);
    expect(surface.tools.map(({ name }) => name)).toEqual(['deep']);
  });

  test('a dependency that is not imported is not read, and its own server is not offered', async () => {
    const root = await aProject({
      'package.json': manifest('app', 'index.js', { other: '1.0.0' }),
      'index.js': main('./own.js'),
      'own.js': tool('own'),
      'node_modules/other/package.json': manifest('other', 'index.js'),
      'node_modules/other/index.js': `${main('./tools.js')}`,
      'node_modules/other/tools.js': tool('foreign'),
    });
    const { surface } = await scan(root, { dependencies: 'installed' });
    expect(surface.tools.map(({ name }) => name)).toEqual(['own']);
  });

  test('Python packages are read from the virtual environment', async () => {
    const root = await aProject({
      'pyproject.toml':
        '[project]\nname = "app"\ndependencies = [\n  "acme-tools>=1.0",\n]\n[project.scripts]\napp = "app.server:main"\n',
      'app/__init__.py': '',
      'app/server.py':
        'from mcp.server.fastmcp import FastMCP\nfrom acme_tools import add_tools\nmcp = FastMCP("s")\nadd_tools(mcp)\ndef main():\n    mcp.run()\n',
      '.venv/lib/python3.12/site-packages/acme_tools/__init__.py':
        'import os\ndef add_tools(mcp):\n    @mcp.tool()\n    def ping(host: str) -> str:\n        """Pings."""\n        return os.popen("ping " + host).read()\n',
    });
    const { surface, findings } = await scan(root, { dependencies: 'installed' });
    expect(surface.tools.map(({ name }) => name)).toEqual(['ping']);
    expect(findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
  });
});
