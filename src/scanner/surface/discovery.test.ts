import { describe, expect, test } from 'vitest';
import { surfaceOfFiles, toolsOf } from '../../../test/support/scan.js';

const cb = 'async () => ({ content: [] })';
const registry = 'TOOLS = []\ndef exposed(fn):\n    TOOLS.append(fn)\n    return fn\n';
const started = (load: string): string =>
  `from pathlib import Path\nimport glob, importlib, importlib.util, inspect, os, pkgutil\nfrom fastmcp import FastMCP\nfrom registry import TOOLS\nimport tools\nmcp = FastMCP("x")\n${load}\nfor fn in TOOLS:\n    mcp.tool(name=fn.__name__)(fn)\nif __name__ == "__main__":\n    mcp.run()\n`;
const shelf = {
  'registry.py': registry,
  'tools/__init__.py': '',
  'tools/one.py': 'from registry import exposed\n@exposed\ndef a(): ...\n',
  'tools/two.py': 'from registry import exposed\n@exposed\ndef b(): ...\n',
};

describe('Python programs that find their own modules are followed into them', () => {
  test.each<[string, string]>([
    [
      'pkgutil over the path of a package',
      'for _, name, _ in pkgutil.iter_modules(tools.__path__):\n    importlib.import_module(f"tools.{name}")',
    ],
    [
      'pkgutil by the fields of its answer',
      'for each in pkgutil.iter_modules([str(Path(__file__).parent / "tools")]):\n    importlib.import_module("." + each.name, "tools")',
    ],
    [
      'pkgutil with a prefix, walking down',
      'for each in pkgutil.walk_packages(tools.__path__, tools.__name__ + "."):\n    importlib.import_module(each.name)',
    ],
    [
      'a glob over a folder',
      'for path in (Path(__file__).parent / "tools").glob("*.py"):\n    if path.stem != "__init__":\n        importlib.import_module(f"tools.{path.stem}")',
    ],
    [
      'a listed folder',
      'for name in os.listdir(os.path.join(os.path.dirname(__file__), "tools")):\n    importlib.import_module("tools." + os.path.splitext(name)[0])',
    ],
    [
      'a module made of a file',
      'for path in glob.glob(os.path.join(os.path.dirname(__file__), "tools", "*.py")):\n    spec = importlib.util.spec_from_file_location("x", path)\n    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)',
    ],
  ])('%s', async (_title, load) => {
    expect(await toolsOf({ ...shelf, 'server.py': started(load) })).toEqual(['a', 'b']);
  });

  test('the functions of a module are met by inspect', async () => {
    const files = {
      'tools.py': 'LIMIT = 3\nclass Box: ...\ndef a(): ...\nasync def b(): ...\n',
      'server.py':
        'import inspect, tools\nfrom fastmcp import FastMCP\nmcp = FastMCP("x")\nfor name, fn in inspect.getmembers(tools, inspect.isfunction):\n    mcp.tool(fn, name=name)\n',
    };
    expect(await toolsOf(files)).toEqual(['a', 'b']);
  });

  test('a folder of data is open: what it would add is said', async () => {
    const text =
      'import os\nfrom fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool\ndef a(): ...\ndef load():\n    found = {}\n    for name in os.listdir(os.path.join(os.path.dirname(__file__), "templates")):\n        found[name] = open(name).read()\n    return found\nfor name, text in load().items():\n    mcp.prompt(name=name)(lambda: text)\n';
    const { tools, unresolved } = await surfaceOfFiles({ 'server.py': text, 'templates/a.md': 'x' });
    expect(tools.map(({ name }) => name)).toEqual(['a']);
    expect(unresolved).toMatchObject([{ kind: 'prompt', reason: 'the name is computed at run time' }]);
  });

  test('a list that is only partly known is marked so where it is walked', async () => {
    const text =
      'import plugins\nfrom fastmcp import FastMCP\nmcp = FastMCP("x")\ndef a(): ...\nALL = [a]\nALL.extend(plugins.load())\nfor fn in ALL:\n    mcp.add_tool(fn)\n';
    const { tools, unresolved } = await surfaceOfFiles({ 'server.py': text });
    expect(tools.map(({ name }) => name)).toEqual(['a']);
    expect(unresolved).toMatchObject([{ kind: 'tool', reason: 'an unknown definition' }]);
  });
});

describe('what stands between a definition and its name is seen through', () => {
  test('a definition that another library makes of a function is named after it', async () => {
    const text =
      'from mcp.server.lowlevel import Server\nfrom adk.tools import FunctionTool, to_mcp\nserver = Server("x")\ndef a(q: str):\n    """Find a."""\ndef b(): ...\nsecond = FunctionTool(b)\nsecond.description = "Find b."\nALL = [to_mcp(t) for t in [FunctionTool(a), second]]\n@server.list_tools()\nasync def ls():\n    return ALL\n';
    const { tools } = await surfaceOfFiles({ 'server.py': text });
    expect(tools).toMatchObject([
      { name: 'a', description: 'Find a.', schema: { properties: { q: {} } } },
      { name: 'b', description: 'Find b.' },
    ]);
  });

  test('a function that was given another name goes by that name, or by none', async () => {
    const text =
      'import boto3\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\ndef made(name):\n    def operation(): ...\n    operation.__name__ = name\n    operation.__doc__ = "Do " + name\n    return operation\nfor name in ["a", "b"]:\n    mcp.tool()(made(name))\nfor name in dir(boto3.client("mq")):\n    mcp.tool()(made(name))\n';
    const { tools, unresolved } = await surfaceOfFiles({ 'server.py': text });
    expect(tools).toMatchObject([
      { name: 'a', description: 'Do a' },
      { name: 'b', description: 'Do b' },
    ]);
    expect(unresolved).toMatchObject([{ kind: 'tool', reason: 'the name is computed at run time' }]);
  });

  test('what setdefault and update put into a dictionary of sets is in it', async () => {
    const text =
      'from fastmcp import FastMCP\nmcp = FastMCP("x")\nSETS = {"one": {"spec": "a", "ops": ["x"]}, "two": {"spec": "b", "ops": ["y"]}}\nall = {}\nfor each in SETS.values():\n    all.setdefault(each["spec"], set()).update(each["ops"])\nif "b" in all:\n    for name in all["b"]:\n        mcp.tool(name=name)(lambda: 1)\n';
    expect(await toolsOf({ 'server.py': text })).toEqual(['y']);
  });

  test('the third place of add_tool is a title, and an empty description leaves the docstring', async () => {
    const text =
      'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("x")\ndef a():\n    """Say a."""\nmcp.add_tool(a, "n", "Title", "")\n';
    const { tools } = await surfaceOfFiles({ 'server.py': text });
    expect(tools).toMatchObject([{ name: 'n', title: 'Title', description: 'Say a.' }]);
  });

  test('a name made by a plain pattern is known, one made by another is not tried', async () => {
    const text = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst server = new McpServer({});\nconst v = "1.0.2";\nserver.tool("v" + v.replace(/\\./g, "_"), ${cb});\nserver.tool(("x" + v).replace(/(a+)+$/, "b"), ${cb});`;
    const { tools, unresolved } = await surfaceOfFiles({ 'server.ts': text });
    expect(tools.map(({ name }) => name)).toEqual(['v1_0_2']);
    expect(unresolved).toMatchObject([{ reason: 'the name is computed at run time' }]);
  });

  test('a launcher is followed into the script it starts, and a hand-written answer into its helpers', async () => {
    const files = {
      'package.json': '{ "bin": "cli.js" }',
      'cli.js':
        'const { spawn } = require("child_process");\nconst path = require("path");\nspawn("node", [path.resolve(__dirname, "./src/server.js")], { stdio: "inherit" });',
      'src/server.js':
        'process.stdin.on("data", (line) => {\n  const { method, id } = JSON.parse(line);\n  if (method === "tools/list") {\n    const named = (name) => "p_" + name;\n    process.stdout.write(JSON.stringify({ id, result: { tools: [{ name: named("a"), inputSchema: {} }] } }));\n  }\n});',
    };
    expect(await toolsOf(files)).toEqual(['p_a']);
  });
});

describe('a switch is off until an operator turns it on, whatever it is about', () => {
  test.each([
    ['SITEWISE_ALLOW_WRITES', ['a']],
    ['ENABLE_DATABASE_TOOLS', ['a']],
    ['EXPORT_MODE', ['a']],
    ['DB_URL', ['a', 'b']],
    ['SERVICE_API_KEY', ['a', 'b']],
  ])('%s', async (setting, names) => {
    const text = `import os\nfrom fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool\ndef a(): ...\nif os.environ.get("${setting}"):\n    @mcp.tool\n    def b(): ...\n`;
    expect(await toolsOf({ 'server.py': text })).toEqual(names);
  });
});

describe('an option missing from the command line holds its default', () => {
  const gated = (parse: string, test: string): string =>
    `from fastmcp import FastMCP\nmcp = FastMCP("x")\n@mcp.tool\ndef a(): ...\n${parse}\nif ${test}:\n    @mcp.tool\n    def b(): ...\n`;
  test.each<[string, string, string, string[]]>([
    [
      'a flag of argparse',
      's.py',
      gated(
        'import argparse\np = argparse.ArgumentParser()\np.add_argument("-w", "--allow-write", action="store_true")\nargs = p.parse_args()',
        'args.allow_write',
      ),
      ['a'],
    ],
    [
      'a default of argparse',
      's.py',
      gated(
        'import argparse\np = argparse.ArgumentParser()\np.add_argument("--sets", default="all")\nargs = p.parse_args()',
        'args.sets == "all"',
      ),
      ['a', 'b'],
    ],
    [
      'an option that must be given',
      's.py',
      gated(
        'import argparse\np = argparse.ArgumentParser()\np.add_argument("--api-key")\nargs = p.parse_args()',
        'args.api_key',
      ),
      ['a', 'b'],
    ],
    [
      'a flag of commander',
      's.mjs',
      `import { Command } from "commander";\nimport { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst server = new McpServer({});\nserver.tool("a", ${cb});\nconst program = new Command();\nprogram.option("--org-mode", "all of it");\nif (program.opts().orgMode) server.tool("b", ${cb});`,
      ['a'],
    ],
    [
      'a list of yargs',
      's.mjs',
      `import yargs from "yargs";\nimport { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst server = new McpServer({});\nconst args = yargs(process.argv).option("sets", { default: ["a"] }).parseSync();\nfor (const name of args.sets) server.tool(name, ${cb});`,
      ['a'],
    ],
  ])('%s', async (_title, file, text, names) => {
    expect(await toolsOf({ [file]: text })).toEqual(names);
  });
});
