import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FunctionNode, Module, Stmt } from '../../ir/nodes.js';
import { walk } from '../../ir/walk.js';
import { functionBodies } from './function-bodies.js';
import { parseModule } from '../index.js';

const bodiesIn = (text: string): string[] | undefined => {
  const found = functionBodies(text);
  return (
    found &&
    Array.from({ length: found.length / 2 }, (_, at) => text.slice(found[at * 2], (found[at * 2 + 1] ?? 0) + 1))
  );
};

describe('bodies are found without a parser', () => {
  test.each<[string, string[]]>([
    ['function f() { a }', ['{ a }']],
    ['const f = async (x) => { a }; const o = { b }', ['{ a }']],
    ['class A { static { s } get x() { a } async *y() { b } #z() { c } }', ['{ a }', '{ b }', '{ c }']],
    [
      'class A extends (b, C) { m() { a } } class D extends mixin(E) { n() { b } } function f() { c }',
      ['{ a }', '{ b }', '{ c }'],
    ],
    [
      'if (a) { b } for (;;) { c } while (x) { d } switch (e) { case 1: } try { f } catch (g) { h } for await (const i of j) { k }',
      [],
    ],
    ['function f(a = { b: 1 }, c = () => { d }) { e }', ['{ d }', '{ e }']],
    ['const s = "function f() {"; const t = `${(() => { a })()} } {`; // function g() {\n/* { */', ['{ a }']],
    ['x = a / b; function f() { c / d } y = e / f', ['{ c / d }']],
    ['x = /[/{]\\/{/.test(y); function f() { return /}/ }', ['{ return /}/ }']],
    ['if (x) /{/.test(y); (function () { a })', ['{ a }']],
    ['x.if(y) / 2; function f() { a } z / 1', ['{ a }']],
    ['for (; n-- > 0;) ; for (; n-->0;) ; function f() { a << 2 }', ['{ a << 2 }']],
    ['const { a } = b; export default function () { c }', ['{ c }']],
    ['({ return() { a }, default: 1, \\u{61}b() { c } })', ['{ a }', '{ c }']],
    ["#!/usr/bin/env node\n// it's {\nfunction f() { a }", ['{ a }']],
  ])('%s', (text, expected) => {
    expect(bodiesIn(text)).toEqual(expected);
  });

  test.each([
    ['a slash after a brace', 'x = {} / 2; function f() { a }'],
    ['a slash after a word that is a keyword only sometimes', 'function* f() { yield /x/ }'],
    ['markup', 'const x = <div>it is {a}</div>; function f() { a }'],
    ['a comment of old pages', 'a\n--> }\nfunction f() { b }'],
    ['the other one', 'a <!-- }\nfunction f() { b }'],
    ['a text that ends in a string', 'function f() { "a\n" }'],
    ['brackets that do not match', 'function f() { ( } )'],
    ['an open template', 'function f() { `${a }'],
  ])('%s is given up', (_what, text) => {
    expect(functionBodies(text)).toBeUndefined();
  });

  test('any text ends', () => {
    assert(
      property(
        string({ maxLength: 200 }),
        array(constantFrom('{', '}', '(', ')', '/', '`', '${', "'", '\\', 'if', 'function f', '=>', '\n', '<', '--')),
        (text, marks) => {
          functionBodies(text + marks.join(' '));
        },
      ),
    );
  });
});

const filler = `/* ${'-'.repeat(9_000)} */\n`;
const long = 'const rest = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";'.repeat(6);
const read = async (path: string, text: string): Promise<Module> => {
  const module = await parseModule(path, text);
  if (!module) throw new Error('not read');
  return module;
};
const functionsIn = (module: Module): FunctionNode[] => {
  const found: FunctionNode[] = [];
  walk(module.body, { fn: (fn) => void found.push(fn), mayContain: () => false });
  return found;
};

describe('long bodies are read when they are asked for', () => {
  test('a body is text until then, and the same as if it had been read at once', async () => {
    const code = `async function outer(a) { ${long} const inner = function* () { ${long} yield a; await; }; return await inner; }\nclass A { #x = 1; m() { ${long} return this.#x + super.m(); } }\n`;
    const module = await read('x.js', filler + code);
    const [outer] = functionsIn(module);
    expect(outer?.deferred?.text()).toContain('const inner');
    const whole = await read('x.ts', filler + code);
    const plain = (body: readonly Stmt[]): unknown =>
      JSON.parse(
        JSON.stringify(body, (_key, value) => ('params' in Object(value) ? { ...value, body: value.body } : value)),
      );
    expect(plain(module.body)).toEqual(plain(whole.body));
    expect([outer?.deferred, module.partial]).toEqual([undefined, false]);
  });

  test('a block after a call on the line before is no body: what is in it is read', async () => {
    const module = await read('x.js', `${filler}start()\n{ ${long} hidden(); }\nfunction f() { ${long} }\n`);
    const called: string[] = [];
    walk(module.body, {
      mayContain: () => false,
      expr: (expr) => void (expr.kind === 'call' && expr.callee.kind === 'name' && called.push(expr.callee.name)),
    });
    expect(called).toEqual(['start', 'hidden']);
  });

  test('a body that cannot be read makes its file partial once it is asked for, and only it is missing', async () => {
    const module = await read(
      'x.js',
      `${filler}function bad() { ${long} const = ; }\nfunction good() { ${long} a(); }\n`,
    );
    const [bad, good] = functionsIn(module);
    expect([bad?.body.length, module.partial]).toEqual([0, true]);
    expect(good?.body.at(-1)).toMatchObject({ kind: 'expr' });
  });

  test('functions a hundred deep are read to the last', async () => {
    const depth = 100;
    const module = await read(
      'x.js',
      `${filler}${`function f() { ${long} `.repeat(depth)}last();${' }'.repeat(depth)}`,
    );
    let isFound = false;
    walk(module.body, { expr: (expr) => void (isFound ||= expr.kind === 'call') });
    expect([isFound, module.partial]).toEqual([true, false]);
  });
});
