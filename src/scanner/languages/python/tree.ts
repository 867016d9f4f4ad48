import { readFile } from 'node:fs/promises';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { packageFile } from '../../../lib/package-file.js';

/** A syntax node as a plain object, so that no other file accesses WebAssembly memory. */
export interface Syntax {
  readonly type: string;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly named: boolean;
  readonly children: Syntax[];
}

/** A parsed text. */
interface SyntaxTree {
  readonly root: Syntax;
  /** True if the text has syntax errors, or parts beyond the depth limit were omitted. */
  readonly partial: boolean;
}

/** Deeper code is omitted from the tree. */
const maxTreeDepth = 700;

/** Loaded once; the grammar has half a megabyte. */
let parserPromise: Promise<Parser> | undefined;

/** Loads WebAssembly and the grammar from the package. */
async function loadGrammar(): Promise<Parser> {
  await Parser.init();
  const grammar = await Language.load(
    await readFile(packageFile('dist/scanner/languages/grammars/tree-sitter-python.wasm')),
  );
  const parser = new Parser();
  parser.setLanguage(grammar);
  return parser;
}

/** Loads the Python grammar once. */
export async function pythonParser(): Promise<Parser> {
  parserPromise ??= loadGrammar();
  return parserPromise;
}

/** Parses Python text into plain objects; undefined on a timeout. */
export function syntaxOf(parser: Parser, text: string, timeoutMs: number): SyntaxTree | undefined {
  const deadline = Date.now() + timeoutMs;
  const tree = parser.parse(text, null, { progressCallback: () => Date.now() > deadline });
  if (!tree) {
    // A cancelled parser must be reset before its next use.
    parser.reset();
    return undefined;
  }
  try {
    return toSyntaxTree(tree);
  } finally {
    // WebAssembly memory is not garbage-collected.
    tree.delete();
  }
}

/** Token types without information beyond the tree; skipped, since each WebAssembly call is expensive and these are two nodes in five. */
const skippedTypes = new Set([
  '(',
  ')',
  ',',
  '[',
  ']',
  '{',
  '}',
  '.',
  '=',
  'def',
  'class',
  'return',
  'import',
  'as',
  'try',
  '->',
  ';',
  'comment',
  'for',
  'with',
  'except',
  'raise',
  'line_continuation',
]);

/** Copies the tree into plain objects with a cursor and without recursion: sources may nest deeply. */
function toSyntaxTree(tree: Tree): SyntaxTree {
  const cursor = tree.walk();
  let partial = tree.rootNode.hasError;
  const { language } = tree;
  const read = (): Syntax => {
    const typeId = cursor.nodeTypeId;
    const type = language.types[typeId] ?? 'ERROR';
    if (skippedTypes.has(type)) return { type, field: undefined, start: 0, end: 0, named: false, children: [] };
    return {
      type,
      field: cursor.currentFieldName ?? undefined,
      start: cursor.startIndex,
      end: cursor.endIndex,
      named: type === 'ERROR' || cursor.nodeIsNamed,
      children: [],
    };
  };
  const root = read();
  const path: Syntax[] = [root];
  for (;;) {
    if (path.length <= maxTreeDepth && cursor.gotoFirstChild()) {
      path.push(read());
    } else {
      if (path.length > maxTreeDepth) partial = true;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) {
          cursor.delete();
          return { root, partial };
        }
        path.pop();
      }
      path.pop();
      path.push(read());
    }
    const made = path.at(-1);
    // The parent of the newest node is the element below it on the path.
    if (made && !skippedTypes.has(made.type)) path.at(-2)?.children.push(made);
  }
}
