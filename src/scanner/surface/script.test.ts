import { describe, expect, test } from 'vitest';
import { surfaceOfFiles, toolsOf } from '../../../test/support/scan.js';

const sdk =
  'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport { z } from "zod";\nconst server = new McpServer({ name: "x" });\n';
const low =
  'import { Server } from "@modelcontextprotocol/sdk/server/index.js";\nimport { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";\nconst server = new Server({}, {});\n';
const cb = 'async () => ({ content: [] })';

describe('JavaScript and TypeScript registrations are followed to their names [S4.19]', () => {
  test.each<[string, string, string[]]>([
    [
      'a definition with the function behind it',
      `import { McpServer } from 'tmcp';\nconst server = new McpServer({ name: 'x', version: '1' }, {});\nserver.tool({ name: 'a', description: 'A.' }, async () => ({}));\nfunction more(to) { to.tool({ name: 'b', description: 'B.' }, async () => ({})); }\nmore(server);\n`,
      ['a', 'b'],
    ],
    [
      'the forms of the first SDK',
      `${sdk}server.tool("a", ${cb});\nserver.tool("b", "d", { q: z.string() }, ${cb});\nserver.registerTool("c", { description: "d" }, ${cb});`,
      ['a', 'b', 'c'],
    ],
    [
      'a name in a constant',
      `${sdk}const name = "a"; const T = { one: "b" } as const; enum E { C = "c" }\nserver.registerTool(name, {}, ${cb}); server.registerTool(T.one, {}, ${cb}); server.registerTool(E.C, {}, ${cb});`,
      ['a', 'b', 'c'],
    ],
    [
      'a wrapper that passes the name on',
      `${sdk}const tool = (name: string, title: string, cb: any) => { server.registerTool(name, { title }, cb); };\ntool("a", "A", ${cb}); tool("b", "B", ${cb});`,
      ['a', 'b'],
    ],
    [
      'a list walked with forEach, for and map',
      `${sdk}const T = [{ name: "a" }, { name: "b" }];\nT.forEach((t) => server.registerTool(t.name, {}, ${cb}));\nfor (const { name } of T) server.registerTool(name + "2", {}, ${cb});\nObject.entries({ c: 1 }).map(([k]) => server.registerTool(k, {}, ${cb}));`,
      ['a', 'a2', 'b', 'b2', 'c'],
    ],
    [
      'classes with fields, inheritance and installTo',
      `${sdk}abstract class Base { abstract name: string; description = "d"; installTo(s: McpServer) { s.registerTool(this.name, { description: this.description }, (a) => this.run(a)); } }\nclass A extends Base { name = "a"; run() {} }\nclass B extends Base { readonly name; constructor(n: string) { super(); this.name = n; } }\n[new A(), new B("b")].forEach((t) => t.installTo(server));`,
      ['a', 'b'],
    ],
    [
      'a literal schema read for its value',
      `${sdk}const S = z.object({ name: z.literal("a"), description: z.literal("d") });\nserver.registerTool(S.shape.name.value, { description: S.shape.description.value }, ${cb});`,
      ['a'],
    ],
    [
      'a factory handed to something else',
      `${sdk.replace('const server', 'const make = () => { const server')} server.registerTool("a", {}, ${cb}); return server; };\nexport default { fetch: (req) => serve(make) };`,
      ['a'],
    ],
    [
      'a low-level listing with spreads',
      `${low}const more = [{ name: "b", inputSchema: {} }];\nserver.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [{ name: "a", inputSchema: { type: "object" } }, ...more] }));`,
      ['a', 'b'],
    ],
    [
      'a low-level listing by string in version 2',
      'import { Server } from "@modelcontextprotocol/server";\nimport { serveStdio } from "@modelcontextprotocol/server/stdio";\nconst make = () => { const s = new Server({}); s.setRequestHandler("tools/list", () => ({ tools: [{ name: "a" }] })); return s; };\nserveStdio(make);',
      ['a'],
    ],
    [
      'a list filled after the handler was set',
      `${low}const all: any[] = [];\nserver.setRequestHandler(ListToolsRequestSchema, () => ({ tools: all }));\nall.push({ name: "a" }); all.push(...["b", "c"].map((name) => ({ name })));`,
      ['a', 'b', 'c'],
    ],
    [
      'tools kept in a map',
      `${low}const all = new Map<string, any>();\nconst add = (t: any) => all.set(t.name, t);\nadd({ name: "a" }); add({ name: "b" });\nserver.setRequestHandler(ListToolsRequestSchema, () => ({ tools: Array.from(all.values()) }));`,
      ['a', 'b'],
    ],
    [
      'npm fastmcp',
      'import { FastMCP } from "fastmcp";\nconst s = new FastMCP({});\ns.addTool({ name: "a", execute: async () => "" });\ns.addTools([{ name: "b", execute: async () => "" }]);',
      ['a', 'b'],
    ],
    [
      'an app tool',
      'import { registerAppTool } from "@modelcontextprotocol/ext-apps/server";\nimport { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst s = new McpServer({});\nregisterAppTool(s, "a", { description: "d" }, async () => {});',
      ['a'],
    ],
    [
      'a subclass of an outside agent',
      'import { McpAgent } from "agents/mcp";\nimport { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nexport class My extends McpAgent { server = new McpServer({}); async init() { this.server.tool("a", async () => {}); } }',
      ['a'],
    ],
    [
      'a method taken from the server',
      `${sdk}const { registerTool } = server; const add = server.registerTool.bind(server);\nregisterTool("a", {}, ${cb}); add("b", {}, ${cb});`,
      ['a', 'b'],
    ],
    [
      'a method of the SDK called on a subclass by way of its prototype',
      `${sdk.replace('const server', 'class Own extends McpServer { add(...args) { return McpServer.prototype.registerTool.call(this, ...args); } }\nconst server').replace('new McpServer', 'new Own')}server.add("a", {}, ${cb}); server.add("b", {}, ${cb});`,
      ['a', 'b'],
    ],
    [
      'registration when the client is known',
      `${sdk}server.server.oninitialized = () => { server.registerTool("a", {}, ${cb}); };`,
      ['a'],
    ],
    [
      'an option that may replace a default list',
      `${sdk}import { options } from "elsewhere";\nconst given = options.only ? { allow: options.only } : {};\nconst { allow } = { allow: ["a"], ...given };\n[{ name: "a" }, { name: "b" }].filter((t) => allow.includes(t.name)).forEach((t) => server.tool(t.name, ${cb}));`,
      ['a', 'b'],
    ],
    [
      'a project class that only sounds alike',
      `${sdk}class Registry { items: any[] = []; registerTool(name: string) { this.items.push(name); } }\nconst r = new Registry(); r.registerTool("not-a-tool");\nserver.registerTool("a", {}, ${cb});`,
      ['a'],
    ],
  ])('%s', async (_form, code, expected) => {
    expect(await toolsOf({ 'index.ts': code, 'package.json': '{"main":"index.ts"}' })).toEqual(expected);
  });
});

describe('modules', () => {
  test('CommonJS, compiled async functions and re-exports are followed', async () => {
    expect(
      await toolsOf({
        'package.json': '{"bin":{"x":"dist/index.js"}}',
        'dist/index.js': `"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) { return (mod && mod.__esModule) ? mod : { "default": mod }; };
var __awaiter = function (t, a, P, generator) { return new (P || (P = Promise))(function (resolve) { function step(r) { r.done ? resolve(r.value) : 0; } step((generator = generator.apply(t, a || [])).next()); }); };
Object.defineProperty(exports, "__esModule", { value: true });
const index_js_1 = require("@modelcontextprotocol/sdk/server/index.js");
const types_js_1 = require("@modelcontextprotocol/sdk/types.js");
const tools_1 = require("./tools");
const one_1 = __importDefault(require("./one"));
const server = new index_js_1.Server({}, {});
server.setRequestHandler(types_js_1.ListToolsRequestSchema, () => __awaiter(void 0, void 0, void 0, function* () { return { tools: [...(yield (0, tools_1.all)()), one_1.default] }; }));`,
        'dist/tools/index.js': 'exports.all = async () => [{ name: "a" }];',
        'dist/one.js': 'module.exports = { name: "b" };',
      }),
    ).toEqual(['a', 'b']);
  });

  test('a folder of tools that is read and imported is loaded file by file', async () => {
    expect(
      await toolsOf({
        'package.json': '{"type":"module","main":"src/index.js"}',
        'src/index.js': `import { readdir } from "node:fs/promises";\nimport { dirname, join } from "node:path";\nimport { fileURLToPath, pathToFileURL } from "node:url";\n${sdk}const dir = join(dirname(fileURLToPath(import.meta.url)), "./tools");\nfor (const file of (await readdir(dir)).filter((f) => f.endsWith(".js"))) { const m = await import(pathToFileURL(join(dir, file)).href); server.registerTool(m.method, { description: m.description }, m.handler); }`,
        'src/tools/a.js':
          'export const method = "a"; export const description = "d"; export const handler = async () => {};',
        'src/tools/b.js': 'export const method = "b"; export const handler = async () => {};',
      }),
    ).toEqual(['a', 'b']);
  });

  test('aliases of tsconfig, package imports and workspace names lead to files', async () => {
    expect(
      await toolsOf({
        'package.json': '{"name":"root","main":"./dist/index.js","imports":{"#n":"./src/n.ts"}}',
        'tsconfig.json': '{ // comment\n"compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] }, } }',
        'src/index.ts': `${sdk}import { a } from "@/names"; import { b } from "#n"; import { c } from "@w/lib";\nfor (const n of [a, b, c]) server.tool(n, async () => {});`,
        'src/names.ts': 'export const a = "a";',
        'src/n.ts': 'export const b = "b";',
        'packages/lib/package.json': '{"name":"@w/lib","main":"index.ts"}',
        'packages/lib/index.ts': 'export const c = "c";',
      }),
    ).toEqual(['a', 'b', 'c']);
  });

  test('a bundle is read as the program, and the SDK inside it does not count', async () => {
    const bundle = `var __commonJS = (cb, mod) => function __require() { return mod || (0, cb[Object.getOwnPropertyNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports; };
var require_names = __commonJS({ "names.js"(exports, module) { module.exports = { first: "a" }; } });
var K; (function (K2) { K2["ZodString"] = "ZodString"; K2["ZodObject"] = "ZodObject"; K2["ZodLiteral"] = "ZodLiteral"; })(K || (K = {}));
class ZS { constructor(def) { this._def = def; } describe(d) { return new ZS({ ...this._def, description: d }); } }
ZS.create = (params) => new ZS({ checks: [], typeName: K.ZodString, ...params });
var lit = (value, params) => new ZS({ value, typeName: K.ZodLiteral, ...params });
var obj = (shape, params) => new ZS({ shape: () => shape, typeName: K.ZodObject, ...params });
var LTR = obj({ method: lit("tools/list") });
class Protocol { connect(t) { for (;;) t.go(); } setRequestHandler(s, h) { this.h.set(s, h); } setNotificationHandler() {} }
class e { constructor() { this.server = new Protocol(); } connect(t) { return this.server.connect(t); } tool(n, ...r) { this.registerTool(n, {}, r); } registerTool(n, c, h) { this.x = { inner: "not-a-tool" }; this.server.setRequestHandler(LTR, () => ({ tools: Object.entries(this.all).map(([name]) => ({ name })) })); } sendToolListChanged() {} }
const s = new e();
s.registerTool(require_names().first, { description: "d", inputSchema: { q: ZS.create().describe("query") } }, async () => {});
const p = new Protocol(); p.setRequestHandler(LTR, () => ({ tools: [{ name: "b" }] }));
s.connect({});`;
    const { tools } = await surfaceOfFiles({ 'package.json': '{"bin":"dist/main.js"}', 'dist/main.js': bundle });
    expect(tools.map((tool) => [tool.name, Object.keys(tool.schema?.properties ?? {})])).toEqual([
      ['a', ['q']],
      ['b', []],
    ]);
  });

  test('tests, examples and files that nothing imports offer nothing', async () => {
    expect(
      await toolsOf({
        'package.json': '{"main":"index.js"}',
        'index.js': `${sdk}server.tool("a", ${cb});`,
        'test/x.test.js': `${sdk}server.tool("b", ${cb});`,
        'examples/demo.js': `${sdk}server.tool("c", ${cb});`,
        'old.js': `${sdk}server.tool("d", ${cb});`,
        'node_modules/dep/index.js': `${sdk}server.tool("e", ${cb});`,
      }),
    ).toEqual(['a']);
  });

  test('a tool behind a setting is optional', async () => {
    const { tools, optionalTools } = await surfaceOfFiles({
      'package.json': '{"main":"index.js"}',
      'index.js': `${sdk}server.tool("a", ${cb});\nif (process.env.ENABLE_DANGER === "1" || process.argv.includes("--danger")) server.tool("b", ${cb});\nif (process.env.API_KEY) server.tool("c", ${cb});`,
    });
    expect([tools.map((tool) => tool.name), optionalTools.map((tool) => tool.name)]).toEqual([['a', 'c'], ['b']]);
  });
});

test('schemas come from zod shapes and objects, JSON Schema and conversions [S4.3]', async () => {
  const { tools } = await surfaceOfFiles({
    'package.json': '{"main":"index.js"}',
    'index.js': `${sdk}import { zodToJsonSchema } from "zod-to-json-schema";
const Base = z.object({ id: z.number().int().describe("the id") });
server.tool("a", "d", { q: z.string().min(1).optional().describe("query"), n: z.enum(["x", "y"]).default("x") }, ${cb});
server.registerTool("b", { inputSchema: Base.extend({ tags: z.array(z.string()) }).strict() }, ${cb});
server.registerTool("c", { inputSchema: Base.pick({ id: true }).shape }, ${cb});
server.server.setRequestHandler("tools/list", () => ({ tools: [{ name: "d", inputSchema: zodToJsonSchema(Base) }, { name: "e", inputSchema: { type: "object", properties: { p: { type: "string" } }, required: ["p"] } }] }));`,
  });
  expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.schema]))).toEqual({
    a: {
      type: 'object',
      properties: {
        q: { type: 'string', description: 'query' },
        n: { type: 'string', enum: ['x', 'y'], default: 'x' },
      },
    },
    b: {
      type: 'object',
      properties: {
        id: { type: 'integer', description: 'the id' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['id', 'tags'],
    },
    c: { type: 'object', properties: { id: { type: 'integer', description: 'the id' } }, required: ['id'] },
    d: { type: 'object', properties: { id: { type: 'integer', description: 'the id' } }, required: ['id'] },
    e: { type: 'object', properties: { p: { type: 'string' } }, required: ['p'] },
  });
});

test.each<[string, string]>([
  ['a name from outside', `server.registerTool(process.title, {}, ${cb});`],
  [
    'a list from outside',
    'import { client } from "elsewhere";\nserver.server.setRequestHandler("tools/list", () => client.listTools());',
  ],
  ['a template with an unknown part', `server.registerTool(\`x_\${Date.now()}\`, {}, ${cb});`],
  ['nothing at all', ''],
])('%s is unresolved [S4.19]', async (_what, code) => {
  const { unresolved } = await surfaceOfFiles({ 'index.js': `${sdk}${code}`, 'package.json': '{"main":"index.js"}' });
  expect(unresolved).toMatchObject([{ location: { file: 'index.js' } }]);
});

test('a registration that no followed path reaches is said', async () => {
  const { tools, unresolved } = await surfaceOfFiles({
    'index.js': `${sdk}server.registerTool("a", {}, ${cb});\nfor (const t of []) server.registerTool(t.name, {}, ${cb});`,
    'package.json': '{"main":"index.js"}',
  });
  expect([tools.map((tool) => tool.name), unresolved]).toEqual([
    ['a'],
    [
      {
        kind: 'tool',
        reason: 'a registration that the analysis did not reach',
        location: { file: 'index.js', start_line: 5 },
      },
    ],
  ]);
});

test('a server that implements the protocol by hand is read by what it answers', async () => {
  const { tools } = await surfaceOfFiles({
    'server.py':
      'import sys, json\nTOOLS = [{"name": "a", "description": "d", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}]\ndef handle(m):\n    if m["method"] == "tools/list":\n        return {"tools": TOOLS}\nif __name__ == "__main__":\n    for line in sys.stdin:\n        print(json.dumps(handle(json.loads(line))))\n',
  });
  expect(tools).toMatchObject([{ name: 'a', description: 'd', schema: { properties: { q: { type: 'string' } } } }]);
});
