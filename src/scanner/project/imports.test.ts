import { expect, test } from 'vitest';
import { importsByComputedName, importsIn } from './imports.js';

test.each<[string, readonly string[]]>([
  ['import a from "./a.js";\nexport * from \'../b\';', ['./a.js', '../b']],
  ['const c = require(`c`); import("./d.js"); import "e";', ['c', './d.js', 'e']],
  [`x = "from 'quoted'"`, ['quoted']],
  [`import "${'x'.repeat(400)}"`, []],
])('a script with %j imports %j', (text, sources) => {
  expect(importsIn('javascript', text)).toEqual(sources);
});

test.each<[string, readonly string[]]>([
  ['import a.b as c, d', ['a.b', 'a', 'd']],
  ['from . import e', ['.', '.e']],
  ['from .pkg import (\n  one,\n  two as three,\n)', ['.pkg', '.pkg.one', '.pkg.two']],
  ['    from f import *', ['f']],
  ['from g import h; x = 1', ['g', 'g.h']],
  ['# import nothing', []],
])('Python with %j imports %j', (text, sources) => {
  expect(importsIn('python', text)).toEqual(sources);
});

test.each<['python' | 'javascript', string, boolean]>([
  ['javascript', 'await import(name)', true],
  ['javascript', 'require(`./tools/${name}`)', true],
  ['javascript', 'for (const file of readdirSync(folder)) load(file);', true],
  ['javascript', 'require("./plain"); import("./plain");', false],
  ['python', 'importlib.import_module(name)', true],
  ['python', 'import os', false],
])('%s with %s loads by computed names: %s', (language, text, is) => {
  expect(importsByComputedName(language, text)).toBe(is);
});
