import { describe, expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { scan } from '../scan.js';
import { pythonAliases, scriptAliases } from './fixtures/aliases.js';
import { pythonAliasesHeld, scriptAliasesHeld } from './fixtures/aliases-held.js';

const bugs = async (file: string, text: string): Promise<readonly string[]> =>
  (await scan(await aProject({ [file]: text }), { heuristics: false })).findings
    .filter(({ kind }) => kind === 'bug')
    .map(({ rule }) => rule);

const python = (head: string, body: string): string =>
  `import os, re, copy\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP("s")\ndef run(o):\n    os.system("ping " + o["h"])\n${head}
@mcp.tool()
def check(host: str) -> str:
    ${body.replaceAll('\n', '\n    ')}
    return "ok"
mcp.run()
`;

describe('two objects stay two', () => {
  const make = 'def make():\n    return {"h": "localhost"}';
  test.each([
    ['results of two calls of one function', python(make, 'a = make()\nb = make()\na["h"] = host\nrun(b)')],
    ['a copy', python('', 'o = {"h": "localhost"}\np = dict(o)\np["h"] = host\nrun(o)')],
    ['a slice', python('', 'a = ["ls"]\nb = a[:]\nb.append(host)\nos.system(" ".join(a))')],
    ['a deep copy', python('', 'o = {"a": {"h": "x"}}\np = copy.deepcopy(o)\np["a"]["h"] = host\nrun(o["a"])')],
    [
      'a parameter that is assigned anew',
      python('def fill(o, h):\n    o = {}\n    o["h"] = h', 'o = {"h": "x"}\nfill(o, host)\nrun(o)'),
    ],
    ['a value replaced under another name', python('', 'o = {"h": host}\np = o\np["h"] = "localhost"\nrun(o)')],
    [
      'a value checked under another name',
      python('', 'o = {"h": host}\np = o\nif not re.fullmatch(r"[a-z.]+", p["h"]):\n    raise ValueError()\nrun(o)'),
    ],
    [
      'a value quoted by a callee',
      python('import shlex\ndef clean(o):\n    o["h"] = shlex.quote(o["h"])', 'o = {"h": host}\nclean(o)\nrun(o)'),
    ],
  ])('%s', async (_, text) => {
    expect(await bugs('server.py', text)).not.toContain('TG-TAINT-CMD');
  });
});

describe('an object is one object under every name it has', () => {
  test.each([...pythonAliases, ...pythonAliasesHeld])('Python: $name', async ({ rule, bad, good }) => {
    expect(await bugs('server.py', bad)).toContain(rule);
    expect(await bugs('server.py', good)).not.toContain(rule);
  });
  test.each([...scriptAliases, ...scriptAliasesHeld])('JavaScript: $name', async ({ rule, bad, good }) => {
    expect(await bugs('server.mjs', bad)).toContain(rule);
    expect(await bugs('server.mjs', good)).not.toContain(rule);
  });
});
