import type { Language, Module } from '../ir/nodes.js';
import { lineStartsOf } from '../ir/positions.js';
import { parseJavaScript } from './javascript/parse.js';
import { readingOf, type Parsed, type Reading } from './parsed.js';
import { parsePython } from './python/parse.js';
import { pythonParser } from './python/tree.js';

const javascript = /\.(?:[mc]?[jt]s|[jt]sx)$/;
const python = /\.pyw?$/;
const declarations = /\.d\.[mc]?ts$/;

/** Whether a file of this name is code that the scanner reads. */
export const isCode = (path: string): boolean =>
  (javascript.test(path) && !declarations.test(path)) || python.test(path);

/** The language that a file of this name is written in. */
export const languageOf = (path: string): Language =>
  python.test(path) ? 'python' : /\.[mc]?tsx?$/.test(path) ? 'typescript' : 'javascript';

/** A function that reads the text of one file into the module model, or says why it cannot. */
export type Parse = (path: string, reading: Reading, timeoutMs: number) => Parsed | 'timeout' | 'too-large';

/** Loads what the parsers need; afterwards files are read without waiting. */
export async function parserFor(paths: readonly string[]): Promise<Parse> {
  const grammar = paths.some((path) => python.test(path)) ? await pythonParser() : undefined;
  return (path, reading, timeoutMs) =>
    grammar && python.test(path) ? parsePython(grammar, reading.text(), timeoutMs) : parseJavaScript(path, reading);
}

/** Reads one file of any supported language into the module model; undefined when it takes longer than its time or is too much at once. */
export async function parseModule(path: string, text: string, timeoutMs = 20_000): Promise<Module | undefined> {
  const parsed = (await parserFor([path]))(path, readingOf(text), timeoutMs);
  if (typeof parsed === 'string') return undefined;
  const { body, docstring } = parsed;
  return {
    path,
    language: languageOf(path),
    text,
    body,
    ...(docstring === undefined ? {} : { docstring }),
    get partial() {
      return parsed.partial;
    },
    lineStarts: lineStartsOf(text),
  };
}
