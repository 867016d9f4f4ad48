import type { Language, Module } from '../ir/nodes.js';
import { lineStartsOf } from '../ir/positions.js';
import { parseJavaScript } from './javascript/parse.js';
import { readingOf, type Parsed, type Reading } from './parsed.js';
import { parsePython } from './python/parse.js';
import type { RecoverPython } from './python/recover.js';

const javascript = /\.(?:[mc]?[jt]s|[jt]sx)$/;
const python = /\.pyw?$/;
const declarations = /\.d\.[mc]?ts$/;

/** Whether a file of this name is code that the scanner reads. */
export const isCode = (path: string): boolean =>
  (javascript.test(path) && !declarations.test(path)) || python.test(path);

/** The language that a file of this name is written in. */
export const languageOf = (path: string): Language =>
  python.test(path) ? 'python' : /\.[mc]?tsx?$/.test(path) ? 'typescript' : 'javascript';

/** A function that reads the text of one file into the module model, or says why it cannot; `unready` where it must be given what it needs first. */
export type Parse = (path: string, reading: Reading, timeoutMs: number) => Parsed | Unparsed | 'unready';

/** Why a file has no model. */
export type Unparsed = 'timeout' | 'too-large';

/** Readers of all languages. */
export interface Parsers {
  readonly parse: Parse;
  /** Loads what a file may need that `parse` was not ready for, or that is read later; afterwards it is never unready. */
  readonly prepare: (path: string) => Promise<void>;
}

/** Readers that load nothing before a file needs it: most Python is read without the grammar, which takes longer to load than a usual server to read. */
export function parsers(): Parsers {
  let recover: RecoverPython | undefined;
  return {
    parse: (path, reading, timeoutMs) => {
      if (!python.test(path)) return parseJavaScript(path, reading);
      const text = reading.text();
      return parsePython(text) ?? recover?.(text, timeoutMs) ?? 'unready';
    },
    prepare: async (path) => {
      if (python.test(path)) recover ??= await (await import('./python/recover.js')).pythonRecovery();
    },
  };
}

/** Reads one file of any supported language into the module model; undefined when it takes longer than its time or is too much at once. */
export async function parseModule(path: string, text: string, timeoutMs = 20_000): Promise<Module | undefined> {
  const { parse, prepare } = parsers();
  await prepare(path);
  const parsed = parse(path, readingOf(text), timeoutMs);
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
