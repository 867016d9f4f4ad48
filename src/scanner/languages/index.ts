import type { Module } from '../ir/nodes.js';
import { parseJavaScript } from './javascript/parse.js';
import { parsePython } from './python/parse.js';

const javascript = /\.(?:[mc]?[jt]s|[jt]sx)$/;
const python = /\.pyw?$/;
const declarations = /\.d\.[mc]?ts$/;

/** Whether a file of this name is code that the scanner reads. */
export const isCode = (path: string): boolean => (javascript.test(path) && !declarations.test(path)) || python.test(path);

/** Reads one file of any supported language into the module model; undefined when it takes longer than its time. */
export async function parseModule(path: string, text: string, timeoutMs = 20_000): Promise<Module | undefined> {
  return python.test(path) ? parsePython(path, text, timeoutMs) : parseJavaScript(path, text);
}
