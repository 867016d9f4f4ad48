import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pythonRecovery } from '../recover.js';
import { readPlain } from './index.js';

/** What the grammar makes of a text, or undefined where it finds errors. */
async function byGrammar(text: string): Promise<unknown> {
  const made = (await pythonRecovery())(text, 20_000);
  return typeof made === 'string' || made.partial ? undefined : made.body;
}

/** Statements with their keys in one order and without those that are not set. */
const bare = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

const expressions = [
  'a.b(c, *d, e=f, **g)[h:i, ::j][k, l][m,](n for o in p if q if r for s in t)',
  'a if b else c if d else lambda e, *f, g=1, **h: (i, j)',
  'not a and b or not c or d and e and f',
  'a < b <= c != d not  in e is not f in g == h is i >= j > k',
  '-a ** -b ** c + d - e * f / g // h % i @ j << k >> l & m | n',
  'a ^ b + c ^ d | e',
  'await a.b() + await (c)',
  '[a, *b], (a,), (a), (), [], {}, {a}, {*a, b}, {a: b, **c, d: e}',
  '[a async for b, *c in d], {a for a in b}, {a: b for a, b in c}, (a for a.b in c)',
  '"a" \'b\' r"\\c" b"d\\x41" """e\n"""',
  'f"a{b!r:>{c}}{{d}}{e=}{f["g"]}" "h" rf"\\d{i:%Y-%m}" f\'\'\'{\nj}\'\'\'',
  '(a := b), f(a := b), [a := b, c]',
  '1_000, 0xFF, 1.5e-3, .5, 1j, 1., ..., None, True, False',
  'é.ñ(ö)',
  'a[b:c], a[:], a[b:], a[:c:d], a[b, c:d]',
  'lambda *, a: a, lambda: (yield)',
  '(\n  a # c\n  + b\n)',
];

const statements = [
  ...expressions.flatMap((each) => [`x = ${each}\n`, `return ${each}\n`, `f(${each})\n`]),
  'a = b = c, d = e\n(a, *b), [c, d] = e\na, = b\na.b[c] += d, e\nx: dict[str, int] | None = a\nself.x: A.B[c, d]\n',
  'x: list[A | dict[b, c]] | D["e", f] | g | h[i, j]\ny: str | dict[str, int]\nz: a[b].c\nw: (A[b, c])\n',
  'import a.b as c, d\nfrom . import a\nfrom .. b.c import (d as e, f,)\nfrom ...a import *\nfrom __future__ import b\n',
  'def f(a, /, b: int = 1, *c: str, d, e: A = 2, **g) -> dict[str, int]:\n  """Doc."""\n  yield a\n',
  'def f(*, a): pass # c\nasync def g(): return\n',
  '@a.b(c)\n# d\n@e\nclass F(G, metaclass=H):\n  """Doc."""\n  x: int = 1\n  y: str\n  @property\n  def p(self): ...\n  if a:\n    z = 2\n',
  'class A[T: B, *C](D): x = 1; y = 2\ndef f[T](a: T): pass\ntype A = dict[b, c] | d\n',
  'if a:\n  b\nelif (c := d):\n  e\nelif f: g; h;\nelse:\n  i\n',
  'if a:\n  if b:\n    c\n    # d\n  # e\n\n      # f\n# g\nelse:\n  h # i\n # j\nk\n',
  'if a:\n\tb\n\tif c:\n\t\td\n',
  'while a: b\nelse: c\nfor a, (b, *c) in d, e:\n  break\nelse:\n  continue\nasync def f():\n  async for a.b in c: pass\n  async with d: pass\n',
  'try:\n  a\nexcept (A, B) as e:\n  b\nexcept C:\n  c\nexcept:\n  d\nelse:\n  e\nfinally:\n  f\n',
  'try:\n  a\nexcept* A as b:\n  c\n',
  'with a as b, c as (d, e), f.g as h.i: pass\nwith (a as b, c): pass\nwith (a, b): pass\nwith (a as b): pass\nwith (a): pass\nwith (a).b as c: pass\n',
  'assert a, b\nraise\nraise a from b\ndel a, b\ndel (c)\nglobal a, b\nprint(a)\nprint(a), b\nmatch = 1\nmatch.a = match(b)\ntype(a)\ntype = b\n',
  'def f():\n  x = yield\n  y = yield a, b\n  yield from c\n  z = (yield d)\n  def g():\n    pass\n',
  'match a.b, c:\n  case "d" | E.F | 3: pass\n  case -1:\n    g\n  # h\n  case H(i, j="k", l=M.N | None): o\n  case [a, *_] | (b, c) if d: e\n  case {"k": v, **r}: s\n  case A() as b: c\n  case _: d\nz\n',
  'x = a \\\n  + b\nif c and \\\n   d: e\n',
  'a\r\nif b:\r\n  c # d\r\n  """e\r\n"""\r\n',
  '# only a comment',
  '',
  '\n\n',
  'def f():\n  a\n  # trailing',
];

describe('plain Python is read as its grammar reads it', () => {
  test.each(statements)('%s', async (text) => {
    const plain = readPlain(text);
    expect(plain).toBeDefined();
    expect(bare(plain)).toEqual(bare(await byGrammar(text)));
  });

  test('what is read of any mix of words is what the grammar reads of it', async () => {
    const word = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('a', 'b', '1', '"s"', 'f"{a}"', 'None') },
      fc.constantFrom(
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '.',
        '=',
        '+',
        '-',
        '*',
        '**',
        '|',
        '<',
        '==',
        ':=',
        '->',
        '@',
      ),
      fc.constantFrom(
        'if',
        'else',
        'for',
        'in',
        'not',
        'and',
        'or',
        'is',
        'lambda',
        'await',
        'yield',
        'async',
        'as',
        'with',
      ),
      fc.constantFrom(
        'def',
        'class',
        'return',
        'import',
        'from',
        'try',
        'except',
        'while',
        'del',
        'raise',
        'match',
        'case',
        'print',
      ),
      fc.constantFrom('\n', '\n  ', '\n    ', ';', '# c\n', '\\\n', "f'", '{', "'"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 14 }), async (words) => {
        const text = words.join(' ');
        const plain = readPlain(text);
        const grammar = plain && (await byGrammar(text));
        if (grammar) expect(bare(plain)).toEqual(bare(grammar));
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['an error', 'x = = 3\n'],
  ['a string without an end', 'x = "a\n'],
  ['a bracket without an end', 'f(\n'],
  ['a closing bracket too many', 'f())\n'],
  ['a print of old', 'print "a"\n'],
  ['a block that is not there', 'if a:\nb\n'],
  ['a line set in for nothing', 'a\n  b\n'],
  ['a line that fits no block', 'if a:\n    b\n  c\n'],
  ['tabs among spaces', 'if a:\n\tb\nif c:\n        d\n'],
  ['an old line end', 'a\rb\n'],
  ['a letter by its name in a text', 'x = f"\\N{DASH}"\n'],
  ['a byte that is nothing', 'x = \u0000\n'],
  ['brackets without number', `x = ${'('.repeat(500)}1${')'.repeat(500)}\n`],
  ['signs without number', `x = ${'-'.repeat(500)}1\n`],
  ['a sum without end', `x = 1${' + 1'.repeat(5_000)}\n`],
  ['blocks without number', Array.from({ length: 200 }, (_, at) => `${' '.repeat(at)}if a:\n`).join('')],
])('%s is left to the reader that recovers', (_what, text) => {
  expect(readPlain(text)).toBeUndefined();
});

const files = ['upstream/python_fastmcp_server.py', 'upstream/python_mcp_server.py'];

test.each(files)('%s is read as its grammar reads it', async (path) => {
  const text = readFileSync(new URL(`../../../../../test/support/${path}`, import.meta.url), 'utf8');
  expect(bare(readPlain(text))).toEqual(bare(await byGrammar(text)));
});
