import { expect, test } from 'vitest';
import { aProject } from '../../test/support/scan.js';
import { scan } from './scan.js';

const many = 12_000;
const repeated = (text: string): string => text.repeat(many);
const counted = (text: (at: number) => string, between = ''): string =>
  Array.from({ length: many }, (_, at) => text(at)).join(between);

const python = (before: string, inside = '    pass'): string => `import os
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("demo")
x = "q"
${before}
@mcp.tool()
def ping(host: str) -> str:
    """Pings."""
    x = host
${inside}
    return os.popen("ping " + host).read()

mcp.run()
`;

const script = (before: string, inside = ''): string => `
import { exec } from "node:child_process";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
const server = new McpServer({ name: "demo", version: "1" });
let x = "q";
${before}
server.tool("ping", "Pings.", { host: z.string() }, async ({ host }) => { let x = host; ${inside}; exec("ping " + host); });
`;

const chainOfElif = `if x: pass\n${counted((at) => `elif x == "${at}": x = "a"\n`)}`;
const setIn = (code: string): string => code.replace(/^/gm, '    ');

/** Code that nests deeper than any stack, before the fault or around it. */
const hostile: readonly (readonly [string, string, string])[] = [
  ['a chain of elif', 'server.py', python(chainOfElif)],
  ['a chain of elif in the tool', 'server.py', python('', setIn(chainOfElif))],
  ['an assignment to one name after the other', 'server.py', python(`${repeated('x = ')}"a"`)],
  ['f-strings inside f-strings', 'server.py', python(`x = ${repeated('f"{')}x${repeated('}"')}`)],
  ['a chain of comparisons', 'server.py', python(`x = ${counted(() => 'x', ' < ')}`)],
  ['a comprehension of many loops', 'server.py', python(`x = [1 ${repeated('for i in x ')}]`)],
  ['a chain of classes', 'server.py', python(counted((at) => `class C${at}(${at ? `C${at - 1}` : 'object'}): pass\n`))],
  ['brackets', 'server.py', python(`x = ${repeated('(')}x${repeated(')')}`)],
  ['a chain of else if', 'server.js', script(`if (x) {}${counted((at) => `else if (x == ${at}) { x = "a" }`)}`)],
  [
    'a chain of script classes',
    'server.js',
    script(counted((at) => `class C${at} ${at ? `extends C${at - 1}` : ''} {}\n`)),
  ],
  [
    'functions that call one another',
    'server.js',
    script(
      counted((at) => `function f${at}(a) { return ${at ? `f${at - 1}(a)` : 'a'} }\n`),
      `x = f${many - 1}(x)`,
    ),
  ],
  ['templates inside templates', 'server.js', script('', `x = ${repeated('`${')}x${repeated('}`')}`)],
  ['blocks', 'server.js', script('', `${repeated('{')}${repeated('}')}`)],
];

test.each(hostile)(
  '%s deeper than a stack neither ends the scan nor hides what stands behind it',
  async (_what, file, text) => {
    const report = await scan(await aProject({ [file]: text }));
    const isFound = report.findings.some(({ rule, tool }) => rule === 'TG-TAINT-CMD' && tool === 'ping');
    expect(isFound || report.verdict === 'incomplete').toBe(true);
  },
);

test.each(['server.py', 'server.js'])(
  'what stands behind a statement that is too deep is read, and the gap is reported: %s',
  async (file) => {
    const text = file.endsWith('.py')
      ? python(`x = ${counted(() => 'x', ' < ')}`)
      : script(`x = ${repeated('x?.a ?? (')}1${repeated(')')}`);
    const report = await scan(await aProject({ [file]: text }));
    expect(report.findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
    expect(report.gaps).not.toEqual([]);
  },
);

test('a file that is deeper than any stack leaves the others as they are', async () => {
  const root = await aProject({ 'server.py': python(''), 'other.py': chainOfElif, 'third.py': `${repeated('x = ')}1` });
  expect((await scan(root)).findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
});

test('a chain of imports longer than the stack is a gap, not an end', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`m${at}.js`, `import { x } from "./m${at + 1}.js"; export { x };\n`]),
  );
  const root = await aProject({ ...files, 'server.js': script('import { x as y } from "./m0.js";') });
  expect((await scan(root)).findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
});

test('a read loop at the top level is followed from the message it reads', async () => {
  const list = '{"tools": [{"name": "run", "description": "Runs.", "inputSchema": {"type": "object"}}]}';
  const text = [
    'import json, os, sys',
    'if __name__ == "__main__":',
    '    for line in sys.stdin:',
    '        message = json.loads(line)',
    `        if message["method"] == "tools/list": print(json.dumps(${list}))`,
    '        if message["method"] == "tools/call": os.system(message["params"]["arguments"]["line"])',
  ].join('\n');
  const report = await scan(await aProject({ 'server.py': text }));
  expect([report.surface.tools.map(({ name }) => name), report.verdict]).toEqual([['run'], 'findings']);
  expect(report.findings.map(({ rule }) => rule)).toContain('TG-TAINT-CMD');
});
