import { describe, expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { scan } from '../scan.js';

const python = (registration: string): string => `import os, sys, functools
from mcp.server.fastmcp import FastMCP
m = FastMCP("s")
mcp = m
def run(host: str) -> str:
    """Runs."""
    return os.popen("ping " + host).read()
${registration}
m.run()
`;
const script = (registration: string): string => `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { execSync } from 'node:child_process';
import { z } from 'zod';
const s = new McpServer({ name: 's', version: '1' });
const server = s;
const handler = async ({ host }) => ({ content: [{ type: 'text', text: execSync('ping ' + host).toString() }] });
const spec = { description: 'Pings', inputSchema: { host: z.string() } };
${registration}
await s.connect(new StdioServerTransport());
`;

describe('a registration is found in every form of its callee [S4.19]', () => {
  test.each([
    ['an alias of the decorator factory', python('dec = m.tool\ndec()(run)')],
    ['a decorator by getattr', python('getattr(m, "tool")()(run)')],
    [
      'a decorator line by getattr',
      python('@getattr(m, "tool")()\ndef run(host: str) -> str:\n    return os.popen("ping " + host).read()'),
    ],
    [
      'a decorator line by an alias',
      python('dec = m.tool\n@dec()\ndef run(host: str) -> str:\n    return os.popen("ping " + host).read()'),
    ],
    ['an alias in a table', python('{"reg": m.tool}["reg"]()(run)')],
    ['a field that holds the method', python('class R: pass\nr = R()\nr.tool = m.tool\nr.tool()(run)')],
    ['functools.partial', python('functools.partial(m.tool, name="run")()(run)')],
    ['an unbound method', python('FastMCP.tool(m)(run)')],
    ['an unbound method with the function', python('FastMCP.add_tool(m, run)')],
    ['the class of the instance', python('m.__class__.tool(m)(run)')],
  ])('Python: %s', async (_what, text) => {
    const { surface, findings } = await scan(await aProject({ 'server.py': text }));
    expect(surface.tools.filter(({ confidence }) => confidence !== 'heuristic').map(({ name }) => name)).toEqual([
      'run',
    ]);
    expect(findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
  });

  test.each([
    ['an alias', script("const reg = s.registerTool;\nreg('run', spec, handler);")],
    ['call', script("s.registerTool.call(s, 'run', spec, handler);")],
    ['apply', script("s.registerTool.apply(s, ['run', spec, handler]);")],
    ['Reflect.apply', script("Reflect.apply(s.registerTool, s, ['run', spec, handler]);")],
    ['a computed constant name', script("s['register' + 'Tool']('run', spec, handler);")],
    ['bind', script("const reg = s.registerTool.bind(s);\nreg('run', spec, handler);")],
    ['destructuring', script("const { registerTool } = s;\nregisterTool('run', spec, handler);")],
  ])('JavaScript: %s', async (_what, text) => {
    const { surface, findings } = await scan(await aProject({ 'server.mjs': text }));
    expect(surface.tools.filter(({ confidence }) => confidence !== 'heuristic').map(({ name }) => name)).toEqual([
      'run',
    ]);
    expect(findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
  });
});

describe('a registration that cannot be resolved is reported, never clean', () => {
  test.each([
    ['a method chosen by the environment', 'server.mjs', script("server[process.env.M]('run', spec, handler);")],
    ['getattr with an argument of the command line', 'server.py', python('getattr(mcp, sys.argv[1])()(run)')],
    ['the same with a server of any name', 'server.mjs', script("s[process.env.M]('run', spec, handler);")],
    [
      'the same in Python',
      'server.py',
      python('@getattr(m, sys.argv[1])()\ndef later(host: str) -> str:\n    return host'),
    ],
    ['a method handed to unknown code', 'server.mjs', script('globalThis.later(s.registerTool);')],
  ])('%s', async (_what, file, text) => {
    const { verdict, surface } = await scan(await aProject({ [file]: text }));
    expect(verdict).not.toBe('clean');
    expect(surface.unresolved.length).toBeGreaterThan(0);
  });
});
