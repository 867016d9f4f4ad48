import { describe, expect, test } from 'vitest';
import { surfaceOfFiles, toolsOf } from '../../../test/support/scan.js';

const fast = 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n';
const low = 'import mcp.types as types\nfrom mcp.server import Server\nserver = Server("x")\n';

describe('Python registrations are followed to their names [S4.7] [S4.19]', () => {
  test.each<[string, string, string[]]>([
    ['a bare decorator', `${fast}@mcp.tool\ndef a(): ...\n`, ['a']],
    [
      'a called decorator on any variable name',
      'from mcp.server.fastmcp import FastMCP as F\nmy_thing = F("x")\n@my_thing.tool()\ndef a(): ...\n',
      ['a'],
    ],
    [
      'a name by position and by keyword',
      `${fast}@mcp.tool("b")\ndef a(): ...\n@mcp.tool(name="c")\ndef d(): ...\n`,
      ['b', 'c'],
    ],
    [
      'a call instead of a decorator',
      `${fast}def a(): ...\ndef b(): ...\nmcp.tool(name="x")(a)\nmcp.tool(b, name="y")\nmcp.add_tool(a)\n`,
      ['a', 'x', 'y'],
    ],
    [
      'the server of SDK version 2',
      'from mcp.server.mcpserver import MCPServer\napp = MCPServer("x")\n@app.tool()\ndef a(): ...\n',
      ['a'],
    ],
    [
      'tools given to the constructor',
      'from fastmcp import FastMCP\nfrom fastmcp.tools import Tool\ndef a(): ...\ndef b(): ...\nmcp = FastMCP("x", tools=[a, Tool.from_function(b, name="c")])\n',
      ['a', 'c'],
    ],
    [
      'constants, concatenation, f-strings and format',
      `${fast}P = "p"\nN = P + "_a"\n@mcp.tool(name=N)\ndef f(): ...\n@mcp.tool(name=f"{P}_b")\ndef g(): ...\n@mcp.tool(name="{}_c".format(P))\ndef h(): ...\n@mcp.tool(name="%s_d" % P)\ndef i(): ...\n`,
      ['p_a', 'p_b', 'p_c', 'p_d'],
    ],
    [
      'a loop over pairs',
      `${fast}def a(): ...\ndef b(): ...\nfor name, fn in [("x", a), ("y", b)]:\n    mcp.tool(name=name)(fn)\n`,
      ['x', 'y'],
    ],
    [
      'a dictionary walked by items',
      `${fast}def a(): ...\nfor name, fn in {"x": a, "y": a}.items():\n    mcp.add_tool(fn, name=name)\n`,
      ['x', 'y'],
    ],
    [
      'decorators of the project itself',
      `${fast}import functools\ndef logged(fn):\n    @functools.wraps(fn)\n    def inner(*args, **kw):\n        return fn(*args, **kw)\n    return inner\ndef exposed(**kw):\n    def wrap(fn):\n        return mcp.tool(**kw)(logged(fn))\n    return wrap\n@exposed(name="x")\ndef a(q: str): ...\n@mcp.tool()\n@logged\ndef b(): ...\n`,
      ['b', 'x'],
    ],
    [
      'methods of an instance',
      `${fast}class T:\n    def __init__(self, mcp):\n        self.mcp = mcp\n        mcp.tool(name="x")(self.one)\n        @self.mcp.tool()\n        def two(): ...\n    def one(self): ...\nT(mcp)\n`,
      ['two', 'x'],
    ],
    [
      'a subclass of the server',
      'from fastmcp import FastMCP\nclass S(FastMCP):\n    def __init__(self):\n        super().__init__("x")\n        self.tool(name="x")(self.one)\n    def one(self): ...\nS().run()\n',
      ['x'],
    ],
    [
      'a server made in a function',
      'from fastmcp import FastMCP\ndef build():\n    app = FastMCP("x")\n    @app.tool()\n    def a(): ...\n    return app\nif __name__ == "__main__":\n    build().run()\n',
      ['a'],
    ],
    [
      'a low-level listing with enumerated names',
      `${low}from enum import Enum\nclass N(str, Enum):\n    A = "one"\n    B = "two"\n@server.list_tools()\nasync def ls() -> list[types.Tool]:\n    return [types.Tool(name=N.A.value, description="d", inputSchema={"type": "object", "properties": {"q": {}}}), types.Tool(name=N.B, inputSchema={})]\n`,
      ['one', 'two'],
    ],
    [
      'a low-level listing by a filtered comprehension',
      `${low}import os\nALL = [types.Tool(name="a", inputSchema={}), types.Tool(name="b", inputSchema={})]\n@server.list_tools()\nasync def ls():\n    return [t for t in ALL if t.name not in os.environ.get("HOST_HIDDEN", "")]\n`,
      ['a', 'b'],
    ],
    [
      'a low-level server of version 2',
      'from mcp.server import Server\nimport mcp.types as types\nasync def ls(ctx, params):\n    return types.ListToolsResult(tools=[types.Tool(name="a", input_schema={})])\nserver = Server("x", on_list_tools=ls)\n',
      ['a'],
    ],
    [
      'a page of a list is the list',
      `${low}ALL = [types.Tool(name=f"t{i}", inputSchema={}) for i in range(1, 4)]\ndef page(cursor, items):\n    start = int(cursor) if cursor is not None else 0\n    return items[start:start + 2], None\n@server.list_tools()\nasync def ls(request):\n    tools, _ = page(request.cursor, ALL)\n    return tools\n`,
      ['t1', 't2', 't3'],
    ],
    [
      'a namespace that is empty unless asked for',
      `${fast}import os\ndef ns(n):\n    if n:\n        return n + "-"\n    return ""\nPRE = ns(os.getenv("NAMESPACE") or "")\n@mcp.tool(name=PRE + "a")\ndef a(): ...\n`,
      ['a'],
    ],
  ])('%s', async (_form, code, expected) => {
    expect(await toolsOf({ 'server.py': code })).toEqual(expected);
  });

  test('a mounted server shows its tools under its prefix only', async () => {
    const code =
      'from fastmcp import FastMCP\nchild = FastMCP("c")\n@child.tool\ndef a(): ...\n@child.resource("data://x")\ndef r(): ...\nmain = FastMCP("m")\n@main.tool\ndef b(): ...\nmain.mount(child, namespace="sub")\nmain.mount("old", FastMCP("d"))\n';
    const { tools, resources } = await surfaceOfFiles({ 'server.py': code });
    expect([tools.map((tool) => tool.name).sort(), resources.map((resource) => resource.uri)]).toEqual([
      ['b', 'sub_a'],
      ['data://sub/x'],
    ]);
  });
});

describe('several files', () => {
  test('imports lead through packages, relative dots, aliases and stars', async () => {
    expect(
      await toolsOf({
        'pyproject.toml': '[project.scripts]\nserve = "pkg.main:main"\n',
        'src/pkg/__init__.py': '',
        'src/pkg/app.py': 'from fastmcp import FastMCP\nmcp = FastMCP("x")\n',
        'src/pkg/names.py': 'FIRST = "first"\n',
        'src/pkg/tools/__init__.py': 'from . import one\nfrom .two import *\n',
        'src/pkg/tools/one.py':
          'from ..names import FIRST as N\ndef register(mcp):\n    @mcp.tool(name=N)\n    def a(): ...\n',
        'src/pkg/tools/two.py': 'from pkg.app import mcp\n@mcp.tool()\ndef second(): ...\n',
        'src/pkg/dead.py': 'from pkg.app import mcp\n@mcp.tool()\ndef never(): ...\n',
        'src/pkg/main.py':
          'from pkg.app import mcp\nfrom pkg import tools\ndef main():\n    tools.one.register(mcp)\n    mcp.run()\ndef unused(mcp):\n    @mcp.tool()\n    def never_either(): ...\n',
        'tests/test_x.py': 'from fastmcp import FastMCP\nm = FastMCP("t")\n@m.tool\ndef in_a_test(): ...\n',
      }),
    ).toEqual(['first', 'second']);
  });

  test('code that nothing reaches is not offered, and is said', async () => {
    const { tools, unresolved } = await surfaceOfFiles({
      'main.py': `${fast}@mcp.tool\ndef a(): ...\nif False:\n    @mcp.tool\n    def b(): ...\nif __name__ == "__main__":\n    mcp.run()\n`,
      'old.py': `${fast}@mcp.tool\ndef c(): ...\n`,
    });
    expect(tools.map((tool) => tool.name)).toEqual(['a']);
    expect(unresolved).toMatchObject([
      {
        kind: 'tool',
        reason: 'c is registered by code that no known entry point reaches',
        location: { file: 'old.py', start_line: 3 },
      },
    ]);
  });

  test('two modules that import each other end', async () => {
    expect(
      await toolsOf({
        'a.py':
          'from fastmcp import FastMCP\nmcp = FastMCP("x")\nimport b\nfrom b import z\ny = z\nif __name__ == "__main__":\n    mcp.run()\n',
        'b.py': 'from a import mcp, y\nz = y\n@mcp.tool\ndef t(): ...\n',
      }),
    ).toEqual(['t']);
  });

  test('modules imported by computed names are loaded and the import is said', async () => {
    const { tools, unresolved } = await surfaceOfFiles({
      'main.py': `${fast}import importlib\nimport sys\nfor name in sys.argv:\n    importlib.import_module(f"plugins.{name}").register(mcp)\nif __name__ == "__main__":\n    mcp.run()\n`,
      'plugins/one.py': 'def register(mcp):\n    @mcp.tool()\n    def a(): ...\n',
      'plugins/two.py': 'def register(mcp):\n    mcp.tool(name="b")(register)\n',
    });
    expect(tools.map((tool) => tool.name).sort()).toEqual(['a', 'b']);
    expect(unresolved).toMatchObject([{ reason: 'modules under plugins/ are imported by computed names' }]);
  });
});

describe('what a tool declares about itself', () => {
  test('schema from annotations, Field, Annotated, Literal, enums and models; the context is not a parameter [S4.3]', async () => {
    const { tools } = await surfaceOfFiles({
      'server.py': `${fast}from typing import Annotated, Literal, Optional\nfrom enum import Enum\nfrom pydantic import BaseModel, Field\nfrom fastmcp import Context\nclass C(Enum):\n    RED = "red"\nclass M(BaseModel):\n    q: str = Field(description="inner")\n    n: int = 3\n@mcp.tool\nasync def f(ctx: Context, a: Annotated[str, Field(description="first")], b: Literal["x", "y"] = "x", c: Optional[C] = None, d: list[int] = [], m: M = None, e: int = Field(..., description="needed")): ...\n`,
    });
    expect(tools[0]?.schema).toEqual({
      type: 'object',
      required: ['a', 'e'],
      properties: {
        a: { type: 'string', description: 'first' },
        b: { type: 'string', enum: ['x', 'y'], default: 'x' },
        c: { type: 'string', enum: ['red'], default: null },
        d: { type: 'array', items: { type: 'integer' } },
        e: { type: 'integer', description: 'needed' },
        m: {
          type: 'object',
          properties: { q: { type: 'string', description: 'inner' }, n: { type: 'integer', default: 3 } },
          required: ['q'],
          default: null,
        },
      },
    });
  });

  test('the given description goes before the docstring [S4.8]', async () => {
    const { tools } = await surfaceOfFiles({
      'server.py': `${fast}D = "given"\n@mcp.tool(description=D + "!")\ndef a():\n    """doc"""\n@mcp.tool("named")\ndef b():\n    """doc\n\n    more\n    """\n`,
    });
    expect(tools.map((tool) => tool.description)).toEqual(['given!', 'doc\n\nmore']);
  });

  test('resources, templates and prompts have their own places', async () => {
    const { resources, prompts } = await surfaceOfFiles({
      'server.py': `${fast}@mcp.resource("data://all", name="all")\ndef r(): ...\n@mcp.resource("data://{key}")\ndef t(key: str): ...\n@mcp.prompt("p", title="P")\ndef p(topic: str):\n    """Ask."""\n`,
    });
    expect(resources).toMatchObject([
      { name: 'all', uri: 'data://all', is_template: false },
      { name: 't', uri: 'data://{key}', is_template: true },
    ]);
    expect(prompts).toMatchObject([{ name: 'p', title: 'P', description: 'Ask.', arguments: ['topic'] }]);
  });

  test.each<[string, string]>([
    ['a name from outside', 'import sys\nmcp.tool(name=sys.argv[1])(print_it)\n'],
    ['tools made from an API document', 'other = FastMCP.from_openapi({})\n'],
    ['a provider', 'mcp.add_provider(object())\n'],
    ['a transform', 'mcp.add_transform(object())\n'],
    ['a mounted server from elsewhere', 'from elsewhere import child\nmcp.mount(child)\n'],
  ])('%s is unresolved, with its place [S4.19]', async (_what, code) => {
    const { unresolved } = await surfaceOfFiles({ 'server.py': `${fast}def print_it(): ...\n${code}` });
    expect(unresolved.length).toBeGreaterThan(0);
    expect(unresolved[0]?.location).toMatchObject({ file: 'server.py', start_line: expect.any(Number) });
  });
});

test('a built package is entered where its metadata points', async () => {
  const files = {
    'demo-1.0.dist-info/entry_points.txt': '[console_scripts]\ndemo = demo.cli:main\n',
    'demo/cli.py': 'from .server import build\ndef main():\n    build().run()\n',
    'demo/server.py':
      'from fastmcp import FastMCP\ndef build():\n    app = FastMCP("x")\n    @app.tool()\n    def a(): ...\n    return app\n',
    'demo/other.py': 'from fastmcp import FastMCP\nold = FastMCP("y")\n@old.tool()\ndef b(): ...\n',
  };
  expect(await toolsOf(files)).toEqual(['a']);
});

test('a package whose server is elsewhere reports that nothing was found', async () => {
  const { tools, unresolved } = await surfaceOfFiles({
    'shim.py': 'import runpy\n\ndef main():\n    runpy.run_module("elsewhere")\n',
  });
  expect([tools, unresolved.map((each) => each.location.file)]).toEqual([[], ['shim.py']]);
});
