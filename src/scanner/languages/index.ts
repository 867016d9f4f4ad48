import type { Language, Module } from '../ir/nodes.js';
import { lineStartsOf } from '../ir/positions.js';
import { parseJavaScript } from './javascript/parse.js';
import { inMemoryText, type Parsed, type SourceText } from './source-text.js';
import { parsePython } from './python/parse.js';
import type { RecoverPython } from './python/recover.js';

const javascript = /\.(?:[mc]?[jt]s|[jt]sx)$/;
const python = /\.pyw?$/;
const declarations = /\.d\.[mc]?ts$/;

/** Whether the scanner supports the language of a file, by its name. */
export const isCode = (path: string): boolean =>
  (javascript.test(path) && !declarations.test(path)) || python.test(path);

/** The language of a file, by its name. */
export const languageOf = (path: string): Language =>
  python.test(path) ? 'python' : /\.[mc]?tsx?$/.test(path) ? 'typescript' : 'javascript';

/** Parses one file into the IR, or returns why it cannot; `unready` if `prepare` must be called first. */
export type Parse = (path: string, reading: SourceText, timeoutMs: number) => Parsed | Unparsed | 'unready';

/** Why a file was not parsed. */
export type Unparsed = 'timeout' | 'too-large';

/** Parsers of all languages. */
interface Parsers {
  readonly parse: Parse;
  /** Loads the grammar a file may need; afterwards `parse` never returns `unready`. */
  readonly prepare: (path: string) => Promise<void>;
}

/** Creates parsers that load grammars on demand: most Python is parsed without tree-sitter, which takes longer to load than a typical server to scan. */
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

/** Parses one file of any supported language; undefined on a timeout or if the file is too large. */
export async function parseModule(path: string, text: string, timeoutMs = 20_000): Promise<Module | undefined> {
  const { parse, prepare } = parsers();
  await prepare(path);
  const parsed = parse(path, inMemoryText(text), timeoutMs);
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
