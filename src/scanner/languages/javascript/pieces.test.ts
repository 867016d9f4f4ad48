import { expect, test } from 'vitest';
import type { Module } from '../../ir/nodes.js';
import { walk } from '../../ir/walk.js';
import { parseModule } from '../index.js';

/** Declarations enough that a program is read in pieces, with something odd in the middle of it. */
function bundle(odd: string): string {
  const body = 'let at = 0; while (at < 10) { at += 1; }'.repeat(40);
  const one = (n: number): string =>
    `export class Part${n} {\n  constructor(options) { this.options = options; }\n  run(x = ${n}) {${body}}\n}\nconst text${n} = "part ${n}";\n`;
  const all = Array.from({ length: 1_400 }, (_, n) => one(n));
  return [...all.slice(0, 700), odd, ...all.slice(700)].join('');
}

/** Every node of a program: what it is, what it is called and where it stands. */
function nodesOf(module: Module | undefined): readonly string[] {
  const found: string[] = [];
  const said = (node: object): string =>
    'name' in node ? String(node.name) : 'value' in node && typeof node.value === 'string' ? node.value : '';
  walk(module?.body ?? [], {
    stmt: (stmt) => void found.push(`${stmt.kind} ${stmt.start}-${stmt.end}`),
    expr: (expr) => void found.push(`${expr.kind} ${expr.start}-${expr.end} ${said(expr)}`),
    fn: (fn) => {
      found.push(`fn ${fn.name ?? ''} ${fn.start}-${fn.end} ${fn.params.length}`);
      // Bodies are the same text read in the same way: to look into each of them would only take time.
      return fn.name !== 'run';
    },
    cls: (cls) => void found.push(`cls ${cls.name ?? ''} ${cls.start}-${cls.end} ${cls.members.length}`),
  });
  return found;
}

// No piece ends at a carriage return, so that the same text with those is read at once.
test.each<[string, string]>([
  ['nothing odd', ''],
  ['a template over lines', 'const said = `one\nvar two = 3;\nclass Four {}\n`;\n'],
  ['a comment over lines', '/*\nvar hidden = 1;\nclass Hidden {}\n*/\n'],
  ['a block at the margin', '{\nvar inner = 1;\nfunction deep() { return inner; }\nlet last = 2;\n}\n'],
  ['a call around declarations', '(() => {\nvar a = 1;\nconst b = a / 2;\nfunction c() { return b; }\n})();\n'],
  ['a value on the next line', 'const made =\nclass Named {};\n'],
  ['a branch without braces', 'if (globalThis.x)\nvar y = 1;\nelse\nvar z = 2;\n'],
  ['a line that goes on', 'const list = [1]\n;[2].map(String)\n'],
])('a program with %s is the same read in pieces and at once', async (_what, odd) => {
  const text = bundle(odd);
  expect(text.length).toBeGreaterThan(2_000_000);
  const [pieces, whole] = [await parseModule('a.js', text), await parseModule('a.js', text.replaceAll('\n', '\r'))];
  expect(pieces?.partial).toBe(false);
  const [some, all] = [nodesOf(pieces), nodesOf(whole)];
  expect(some.length).toBeGreaterThan(10_000);
  expect(some.findIndex((node, at) => node !== all[at])).toBe(-1);
  expect(some.length).toBe(all.length);
});
