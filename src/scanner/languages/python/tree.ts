import { readFile } from 'node:fs/promises';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { ownFile } from '../../../lib/own-files.js';

/** A syntax node in plain objects, so that nothing above this file touches WebAssembly memory. */
export interface Syntax {
  readonly type: string;
  readonly field: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly named: boolean;
  readonly children: Syntax[];
}

export interface SyntaxTree {
  readonly root: Syntax;
  /** True when the text has errors, or was nested so deep that parts were left out. */
  readonly partial: boolean;
}

/** Deeper code than this is left out of the tree. */
const maxDepth = 700;

let ready: Promise<Parser> | undefined;

async function load(): Promise<Parser> {
  await Parser.init();
  const grammar = await Language.load(
    await readFile(ownFile('dist/scanner/languages/grammars/tree-sitter-python.wasm')),
  );
  const parser = new Parser();
  parser.setLanguage(grammar);
  return parser;
}

/** Loads the Python grammar once; afterwards `syntaxOf` may be called. */
export async function pythonParser(): Promise<Parser> {
  ready ??= load();
  return ready;
}

/** Parses Python text into plain objects, giving up (undefined) when it takes longer than its time. */
export function syntaxOf(parser: Parser, text: string, timeoutMs: number): SyntaxTree | undefined {
  const deadline = Date.now() + timeoutMs;
  const tree = parser.parse(text, null, { progressCallback: () => Date.now() > deadline });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  try {
    return copy(tree);
  } finally {
    tree.delete();
  }
}

/** Marks that say nothing the tree does not: each question to WebAssembly costs, and these are two nodes in five. */
const silent = new Set([
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

function copy(tree: Tree): SyntaxTree {
  const cursor = tree.walk();
  let partial = tree.rootNode.hasError;
  const { language } = tree;
  const read = (): Syntax => {
    const typeId = cursor.nodeTypeId;
    const type = language.types[typeId] ?? 'ERROR';
    if (silent.has(type)) return { type, field: undefined, start: 0, end: 0, named: false, children: [] };
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
    if (path.length <= maxDepth && cursor.gotoFirstChild()) {
      path.push(read());
    } else {
      if (path.length > maxDepth) partial = true;
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
    // The parent of the newest node is always just below it on the path.
    if (made && !silent.has(made.type)) path.at(-2)?.children.push(made);
  }
}
