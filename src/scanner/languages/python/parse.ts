import type { Stmt } from '../../ir/nodes.js';
import type { Parsed } from '../parsed.js';
import { docstringOf } from './members.js';
import { readPlain } from './reader/index.js';

/** Longer texts than this, which no person writes, need more memory to read than a scan may take. */
const maxLength = 2_500_000;

/** Reads Python that is written plainly; undefined where only the grammar finds its way. */
export function parsePython(text: string): Parsed | 'too-large' | undefined {
  if (text.length > maxLength) return 'too-large';
  const plain = readPlain(text);
  return plain && parsedOf(plain, text, false);
}

/** What was read of a text, with what it says of itself. */
export function parsedOf(body: readonly Stmt[], text: string, partial: boolean): Parsed {
  const docstring = docstringOf(body);
  return { body, ...(docstring === undefined ? {} : { docstring }), partial, bytes: text.length };
}
