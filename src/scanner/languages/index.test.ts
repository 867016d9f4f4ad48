import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import type { Expr, Module, Stmt } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { locationOf } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import { isCode, parseModule } from './index.js';

async function read(path: string, text: string): Promise<Module> {
  const module = await parseModule(path, text);
  if (!module) throw new Error('ran out of time');
  return module;
}

/** The model without places, so that two languages can be compared. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) =>
      ['start', 'end', 'decoratedStart', 'declares', 'docstring'].includes(key) ? undefined : inner,
    ),
  );

const callsOf = (module: Module): string[] => {
  const names: string[] = [];
  walk(module.body, { expr: (expr) => void (expr.kind === 'call' && names.push(dottedName(expr) ?? '?')) });
  return names;
};

describe('both languages become the same model', () => {
  test.each<[string, string, string]>([
    ['a call with members', 'a.b(1, "x")', 'a.b(1, "x")'],
    ['an assignment', 'x = [1, *ys]', 'x = [1, ...ys]'],
    ['a dictionary with a spread', 'x = {"k": v, **rest}', 'x = {k: v, ...rest}'],
    ['a template with known parts', 'x = f"a{b}c"', 'x = `a${b}c`'],
    ['identity as equality', 'x = a is None', 'x = a === null'],
    ['boolean words', 'x = a and not b or c', 'x = a && !b || c'],
    ['a conditional value', 'x = a if t else b', 'x = t ? a : b'],
    ['a chain of additions', 'x = "a" + "b" + c', 'x = "a" + "b" + c'],
    ['destructuring', 'a, b = c', '[a, b] = c'],
    ['a loop', 'for x in xs:\n  f(x)\n', 'for (x of xs) f(x)'],
    ['branches', 'if a:\n  f()\nelif b:\n  g()\nelse:\n  h()\n', 'if (a) f(); else if (b) g(); else h()'],
  ])('%s', async (_name, python, javascript) => {
    const [one, other] = [await read('a.py', python), await read('a.js', javascript)];
    const plain = (body: readonly Stmt[]) =>
      JSON.stringify(bare(body))
        .replaceAll('"tuple"', '"list"')
        .replace(/^\[\{"kind":"expr","value":(\{"kind":"assign".*\})\}\]$/, '[$1]');
    expect(plain(other.body)).toBe(plain(one.body));
  });
});

describe('Python', () => {
  test('functions carry decorators, annotations, defaults and a clean docstring', async () => {
    const { body } = await read(
      'a.py',
      '@app.tool(name="n")\nasync def f(a: int, *, b: Annotated[str, "d"] = "x", **kw) -> dict[str, int]:\n    """First.\n\n    Second.\n    """\n    yield 1\n',
    );
    expect(body[0]).toMatchObject({
      kind: 'function',
      fn: {
        name: 'f',
        isAsync: true,
        isGenerator: true,
        docstring: 'First.\n\nSecond.',
        decorators: [{ kind: 'call' }],
        params: [
          { target: { name: 'a' }, annotation: { name: 'int' } },
          { keywordOnly: true, default: { value: 'x' }, annotation: { kind: 'index' } },
          { rest: 'dict' },
        ],
        returns: { kind: 'index', index: { kind: 'list', items: [{}, {}] } },
      },
    });
  });

  test('a handler is placed at its def line and its decorators before it', async () => {
    const module = await read('a.py', '# ü\n@x\ndef f():\n    pass\n');
    const [stmt] = module.body;
    expect(
      stmt?.kind === 'function' && [
        locationOf(module, stmt.fn).startLine,
        locationOf(module, { start: stmt.fn.decoratedStart, end: stmt.fn.end }).startLine,
      ],
    ).toEqual([3, 2]);
  });

  test.each<[string, string]>([
    ['"a\\x41\\u00e9\\n"', 'aAé\n'],
    ["r'\\n'", '\\n'],
    ["'a' 'b'\\\n 'c'", 'abc'],
    ['"""x"""', 'x'],
    ["'\\'q'", "'q"],
    ['f"{{}}"', '{}'],
    ['"\\101"', 'A'],
  ])('the string %s is read as Python reads it', async (source, expected) => {
    const { body } = await read('a.py', `x = ${source}`);
    expect(body[0]).toMatchObject({ value: { kind: 'literal', value: expected } });
  });

  test('imports keep their dots and aliases', async () => {
    const { body } = await read('a.py', 'import a.b\nimport c as d\nfrom ..x.y import (z as w, v)\nfrom q import *\n');
    expect(
      body.map(
        (stmt) =>
          stmt.kind === 'import' && [stmt.source, ...stmt.bindings.flatMap((each) => [each.imported, each.local])],
      ),
    ).toEqual([
      ['a.b', '*', 'a.b'],
      ['c', '*', 'd'],
      ['..x.y', 'z', 'w', 'v', 'v'],
      ['q', '*all', ''],
    ]);
  });

  test('a class keeps methods, fields and properties apart', async () => {
    const { body } = await read(
      'a.py',
      'class A(B, metaclass=M):\n    """Doc."""\n    x: int = 1\n    y: str\n    @property\n    def p(self): ...\n    @staticmethod\n    def s(): ...\n    if True:\n        z = 2\n',
    );
    expect(body[0]).toMatchObject({
      cls: {
        name: 'A',
        docstring: 'Doc.',
        bases: [{ value: { name: 'B' } }, { name: 'metaclass' }],
        members: [
          { kind: 'field', name: 'x' },
          { kind: 'field', name: 'y' },
          { kind: 'getter', name: 'p' },
          { kind: 'method', name: 's', isStatic: true },
        ],
      },
    });
  });
});

describe('TypeScript and JavaScript', () => {
  test('types vanish and what they wrap stays', async () => {
    const { body } = await read(
      'a.ts',
      'const x = (a as Foo)!.b satisfies C; enum E { A = "one", B = 2, C } interface I {} type T = 1; declare const d: 1;',
    );
    expect(bare(body)).toEqual([
      {
        kind: 'assign',
        target: { kind: 'name', name: 'x' },
        value: { kind: 'member', object: { kind: 'name', name: 'a' }, property: 'b' },
      },
      {
        kind: 'assign',
        target: { kind: 'name', name: 'E' },
        value: {
          kind: 'dict',
          entries: [
            ['A', 'one'],
            ['B', 2],
            ['C', 3],
          ].map(([key, value]) => ({ key: { kind: 'literal', value: key }, value: { kind: 'literal', value } })),
        },
      },
    ]);
  });

  test('exports name what they export', async () => {
    const { body } = await read(
      'a.ts',
      'export const { a, b: [c] } = x; export default function f() {} export * from "m"; export { p as q } from "n"; export default class {}',
    );
    const exported = body.flatMap((stmt) =>
      stmt.kind === 'export' ? [stmt.names.map((name) => `${name.local}>${name.exported}`).join()] : [],
    );
    expect(exported).toEqual(['a>a,c>c', 'f>default', '*all>*all', 'p>q', '>default']);
  });

  test('a parameter keeps the plain name of its type', async () => {
    const { body } = await read(
      'a.ts',
      'class A { constructor(private server: sdk.McpServer, x?: Promise<Foo>, y: string | number) {} }',
    );
    expect(body[0]).toMatchObject({
      cls: {
        members: [
          {
            fn: {
              params: [{ isField: true, annotation: { property: 'McpServer' } }, { annotation: { name: 'Foo' } }, {}],
            },
          },
        ],
      },
    });
  });
});

describe('hostile text', () => {
  const deep = 100_000;
  test.each<[string, string, string]>([
    ['parentheses', 'a.py', `x = ${'('.repeat(deep)}1${')'.repeat(deep)}\n`],
    ['parentheses', 'a.js', `x = ${'('.repeat(deep)}1${')'.repeat(deep)};`],
    ['lists', 'a.py', `x = ${'['.repeat(deep)}${']'.repeat(deep)}\n`],
    ['unclosed brackets', 'a.ts', '{['.repeat(deep)],
    ['calls', 'a.js', `a${'()'.repeat(deep)}`],
    ['blocks', 'a.js', `${'if (a) {'.repeat(5_000)}${'}'.repeat(5_000)}`],
    ['nothing but quotes', 'a.py', '"""'.repeat(9_999)],
  ])('deep %s in %s end in a partial file, not in a crash', async (_what, path, text) => {
    expect((await read(path, text)).partial).toBe(true);
  });

  test('a sum of two thousand strings is read whole', async () => {
    const { body, partial } = await read('a.js', `x = ${'"a" + '.repeat(2_000)}"b"`);
    expect([body.length, partial]).toEqual([1, false]);
  });

  test('a broken file still gives its readable parts', async () => {
    const script = await read('a.js', 'server.tool("a", cb);\nconst x = = 3;\nserver.tool("b", cb);\n');
    const python = await read('a.py', '@mcp.tool()\ndef a(): pass\n\ndef (:\n\n@mcp.tool()\ndef b(): pass\n');
    expect([script.partial, callsOf(script)]).toEqual([true, ['server.tool', 'server.tool']]);
    expect([python.partial, callsOf(python).length > 0]).toEqual([true, true]);
  });

  test('offsets of a piece of a broken file are those of the file', async () => {
    const text = 'let ok = 1;\nconst x = = 3;\nfoo("é");\n';
    const module = await read('a.js', text);
    const calls: Expr[] = [];
    walk(module.body, { expr: (expr) => void (expr.kind === 'call' && calls.push(expr)) });
    expect(calls.map((call) => text.slice(call.start, call.end))).toEqual(['foo("é")']);
  });

  test('no text at all makes a parser throw', async () => {
    const words = [
      'def',
      'class',
      '(',
      ')',
      ':',
      '\n',
      '  ',
      '@',
      '"',
      "'''",
      'f"{',
      '}',
      '{',
      '[',
      'async',
      '=>',
      '`${',
      '*',
      '__proto__',
      'constructor',
      '\u0000',
      '\uD800',
      'é',
      '\\',
      '//',
      '#',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...words), { maxLength: 40 }),
        fc.constantFrom('a.py', 'a.ts', 'a.jsx'),
        async (parts, path) => {
          const module = await read(path, parts.join(''));
          walk(module.body, {});
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('code is recognised by its name and declarations are not code', () => {
  expect(['a.py', 'a.mts', 'a.cjs', 'a.tsx', 'a.d.ts', 'a.json', 'py', 'a.d.mts'].map(isCode)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
