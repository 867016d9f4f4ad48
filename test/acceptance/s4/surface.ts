import { expect } from 'vitest';
import { toolgate } from '../../support/toolgate.js';
import { aFolder } from '../folder.js';
import { row } from '../row.js';
import { certain, example, names, python, scan, script, surface } from './world.js';

/** What is extracted and how it is shown. */
export const extraction = [
  row(
    'S4.1',
    'Tools, resources, prompts, transports and signs of authentication are read from source that is never run',
    'Ran `surface` on a server whose first line would write a file, and which has one of each',
    async () => {
      const folder = aFolder({
        'server.py': python(
          'open("started", "w").write("x")\n@m.tool()\ndef t(a: int): pass\n@m.resource("note://{id}")\ndef note(id: str): pass\n@m.prompt()\ndef ask(): pass\ndef login(r): r.set_cookie("sid")',
        ),
      });
      const { out } = await toolgate(folder, ['surface', '.', '--format', 'json']);
      const read = JSON.parse(out).surface;
      expect([certain(read), names(read.resources), names(read.prompts), read.transport]).toEqual([
        ['t'],
        ['note'],
        ['ask'],
        'stdio',
      ]);
      expect(read.auth_signals).toMatchObject([{ type: 'cookie' }]);
      const { existsSync } = await import('node:fs');
      expect(existsSync(`${folder}/started`)).toBe(false);
      return 'one tool, resource, prompt and cookie, stdio; the file was not written';
    },
  ),
  row(
    'S4.2',
    'A surface has tools, resources, prompts, transport and auth signals',
    'Read the keys of `surface --format json`',
    async () => {
      const keys = Object.keys(await surface({ 'server.py': example }));
      expect(keys.slice(0, 5)).toEqual(['tools', 'resources', 'prompts', 'transport', 'auth_signals']);
      return 'these five come first';
    },
  ),
  row(
    'S4.3',
    'A tool has name, description, schema, handler, decorators and location; resources and prompts have the same',
    'Read a tool, a resource and a prompt',
    async () => {
      const read = await surface({
        'server.py': python(
          '@m.tool()\ndef t(a: int):\n    """Counts."""\n@m.resource("x://y")\ndef r():\n    """Reads."""\n@m.prompt()\ndef p():\n    """Asks."""',
        ),
      });
      const at = { file: 'server.py', start_line: expect.any(Number), end_line: expect.any(Number) };
      for (const [item, name, description] of [
        [read.tools[0], 't', 'Counts.'],
        [read.resources[0], 'r', 'Reads.'],
        [read.prompts[0], 'p', 'Asks.'],
      ])
        expect(item).toMatchObject({
          name,
          description,
          handler: { function_name: name, file_name: 'server.py', location: at },
          decorators: [expect.stringMatching(/^m\./)],
          location: at,
        });
      expect(read.tools[0].schema).toMatchObject({ properties: { a: { type: 'integer' } }, required: ['a'] });
      return 'all fields of all three';
    },
  ),
  row(
    'S4.4',
    'A transport is stdio, http, websocket or unknown, in upper case in the text',
    'Read servers that start with each of them, and one that starts nothing',
    async () => {
      const started = (how: string): Promise<{ transport: string }> =>
        surface({ 'server.py': `from fastmcp import FastMCP\nm = FastMCP("s")\n@m.tool()\ndef t(): pass\n${how}\n` });
      expect((await started('m.run()')).transport).toBe('stdio');
      expect((await started('m.run(transport="http")')).transport).toBe('http');
      expect((await started('')).transport).toBe('unknown');
      const socket = await surface({
        'server.py':
          'from mcp.server import Server\nfrom mcp.server.websocket import websocket_server\ns = Server("x")\nasync def app(scope, receive, send):\n    async with websocket_server(scope, receive, send) as streams:\n        await s.run(streams[0], streams[1], {})\n',
      });
      expect(socket.transport).toBe('websocket');
      const { out } = await toolgate(aFolder({ 'server.py': example }), ['surface', 'server.py']);
      expect(out).toContain('Transport: STDIO');
      return '`stdio`, `http`, `websocket` and `unknown`; `STDIO` in the text';
    },
  ),
  row(
    'S4.5',
    'An auth signal is a cookie, a header or an OAuth state, with name and location',
    'Read a server with a call of each',
    async () => {
      const { auth_signals: signals } = await surface({
        'server.py': python(
          '@m.tool()\ndef t(r):\n    r.set_cookie("a")\n    set_authorization_header(r)\n    verify_oauth_state(r)',
        ),
      });
      expect(signals.map(({ type, name }: Record<string, string>) => `${type} ${name}`)).toEqual([
        'cookie set_cookie',
        'header set_authorization_header',
        'oauth_state verify_oauth_state',
      ]);
      expect(signals[0].location).toMatchObject({ file: 'server.py', start_line: 7 });
      return 'three signals, the first in line 7';
    },
  ),
  row(
    'S4.16',
    'The JSON has the fields of the founding document; a tool is placed at its decorator, its handler at its `def`',
    'Read the first tool of the example',
    async () => {
      const read = await surface({ 'server.py': example });
      expect(read.tools[0]).toMatchObject({
        name: 'read_file',
        description: 'Give back what a file holds.',
        handler: { function_name: 'read_file', location: { file: 'server.py', start_line: 8, end_line: 11 } },
        decorators: ['server.tool'],
        location: { file: 'server.py', start_line: 7, end_line: 11 },
      });
      const { findings } = await scan({ 'server.py': example });
      expect(findings[0].location).toMatchObject({ start_line: 10, startLine: 10 });
      return 'decorator in line 7, `def` in line 8; `scan` uses the same names and keeps `startLine` as an alias';
    },
  ),
  row(
    'S4.17',
    'The text has the lines of the founding document',
    'Ran `surface ./server.py` on the example with a call that sets a header',
    async () => {
      const text = example.replace('return a + b', 'return set_authorization_header(a + b)');
      const { out } = await toolgate(aFolder({ 'server.py': text }), ['surface', './server.py']);
      expect(out).toBe(
        'MCP Surface Analysis\n====================\nSDK Detected: Python Official (mcp)\nTransport: STDIO\n\nTools (3):\n  1. read_file\n     Description: "Give back what a file holds."\n     Handler: server.py:8\n  2. calculate\n     Description: "Add two numbers up."\n     Handler: server.py:14\n  3. handle_request (heuristic)\n     Description: "Looks like one."\n     Handler: server.py:21\n\nResources: None\nPrompts: None\n\nAuth Signals:\n  - header: set_authorization_header (server.py:16)\n',
      );
      return 'the whole output is as expected';
    },
  ),
  row(
    'S4.18',
    'The example gives exactly its three tools, stdio and no auth signals',
    'Ran `surface --format json` on the example',
    async () => {
      const read = await surface({ 'server.py': example });
      expect(read.tools.map((tool: Record<string, string>) => `${tool['name']} ${tool['confidence']}`)).toEqual([
        'read_file certain',
        'calculate certain',
        'handle_request heuristic',
      ]);
      expect([read.transport, read.auth_signals]).toEqual(['stdio', []]);
      return '`read_file`, `calculate`, `handle_request` (heuristic), and not `helper_function`';
    },
  ),
  row(
    'S4.19',
    'Programmatic, aliased and low-level registrations are followed; what is not understood is counted as unresolved',
    'Ran `surface` and `scan` on registrations in nine forms, and on three that are decided at run time',
    async () => {
      const low = `import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const s = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
s.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: 'run', inputSchema: { type: 'object' } }] }));
`;
      const def = 'def run(host: str): return os.popen("ping " + host).read()\n';
      for (const text of [
        python(`${def}m.add_tool(run)`),
        python(`${def}FastMCP.tool(m)(run)`),
        python(`${def}functools.partial(m.tool, name="run")()(run)`),
        python(`dec = m.tool\n@dec()\n${def}`),
        `import os\nfrom mcp.server.fastmcp import FastMCP as S\nx = S("s")\n@x.tool()\n${def}x.run()\n`,
      ])
        expect(certain(await surface({ 'server.py': text })), text).toEqual(['run']);
      for (const text of [
        script("s.tool('run', 'Pings', { host: z.string() }, handler);"),
        script("s.registerTool.call(s, 'run', spec, handler);"),
        script("Reflect.apply(s.registerTool, s, ['run', spec, handler]);"),
        low,
      ])
        expect(certain(await surface({ 'server.mjs': text })), text).toEqual(['run']);
      const called = await scan({ 'server.mjs': script("s.registerTool.call(s, 'run', spec, handler);") });
      expect(called.findings[0]).toMatchObject({ rule: 'TG-TAINT-CMD', severity: 'high' });
      const unknown = [
        { 'server.mjs': script("s[process.env.M]('run', spec, handler);") },
        { 'server.py': python(`@getattr(m, sys.argv[1])()\n${def}`) },
        { 'server.mjs': script('globalThis.later(s.registerTool);') },
      ];
      for (const files of unknown) {
        expect((await surface(files)).unresolved.length, JSON.stringify(files)).toBeGreaterThan(0);
        expect((await toolgate(aFolder(files), ['surface', '.', '--strict'])).code).toBe(1);
        expect((await scan(files)).verdict).not.toBe('clean');
      }
      return 'nine are found, `call` with its finding; three are unresolved, `--strict` ends with 1, and none is clean';
    },
  ),
  row(
    'S4.22',
    '`@getattr(server, "tool")()` and its like are test cases by name',
    'Ran `surface` and `scan` on a tool whose decorator is read by `getattr`',
    async () => {
      const files = {
        'server.py': python(
          '@getattr(m, "tool")()\ndef run(host: str):\n    """Pings."""\n    return os.popen("ping " + host).read()',
        ),
      };
      expect((await surface(files)).tools).toMatchObject([
        { name: 'run', confidence: 'certain', description: 'Pings.' },
      ]);
      expect((await scan(files)).findings[0]).toMatchObject({ rule: 'TG-TAINT-CMD', severity: 'high', tool: 'run' });
      return '`run` is found with its description and its finding';
    },
  ),
];
