import type { Stmt } from '../../ir/nodes.js';
import type { Parsed } from '../source-text.js';
import { docstringOf } from './members.js';
import { readPlain } from './reader/index.js';

/** Longer texts are generated, and would exceed the memory limit of a scan. */
const maxTextLength = 2_500_000;

/** Parses regular Python with the fast parser; undefined if only the error-tolerant grammar can parse it. */
export function parsePython(text: string): Parsed | 'too-large' | undefined {
  if (text.length > maxTextLength) return 'too-large';
  const plain = readPlain(text);
  return plain && toParsed(plain, text, false);
}

/** Builds the parse result, with the module docstring. */
export function toParsed(body: readonly Stmt[], text: string, partial: boolean): Parsed {
  const docstring = docstringOf(body);
  return { body, ...(docstring === undefined ? {} : { docstring }), partial, bytes: text.length };
}
