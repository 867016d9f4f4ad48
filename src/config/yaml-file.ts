import { Composer, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, Parser, visit, type CST, type Document, type Node, type Pair } from 'yaml';
import type { Problem } from './problem.js';

/** The most aliases a file may unfold to: enough for shared blocks, too few for a bomb of nested ones. */
const MAX_ALIASES = 100;
const MAX_DEPTH = 64;
const MAX_NODES = 50_000;

/** Plain data read from a YAML text, with the way back from a key to its place. */
export interface YamlFile {
  readonly value: unknown;
  /** Where a key stands, or the nearest thing above it; with `key`, the place of that key inside `path`. */
  place(path: readonly PropertyKey[], key?: string): { readonly line: number; readonly column: number };
}

/** Reads a YAML text into plain data, or says everything that is wrong with it; it never throws. */
export function yamlFile(text: string, file: string): { readonly ok: true; readonly file: YamlFile } | { readonly ok: false; readonly problems: readonly Problem[] } {
  const lines = new LineCounter();
  const failed = (message: string): { readonly ok: false; readonly problems: readonly Problem[] } => ({ ok: false, problems: [{ file, line: 1, column: 1, path: '', message }] });
  try {
    const tokens = [...new Parser(lines.addNewLine).parse(text)];
    const tooMuch = excess(tokens);
    if (tooMuch !== undefined) return failed(tooMuch);
    const documents = [...new Composer({ uniqueKeys: true, strict: true, logLevel: 'silent', version: '1.2', merge: false, resolveKnownTags: false }).compose(tokens)];
    const [document] = documents;
    if (document === undefined) return { ok: true, file: { value: {}, place: () => ({ line: 1, column: 1 }) } };
    const problems = documents.flatMap((one) =>
      [...one.errors, ...one.warnings].map((error): Problem => ({ file, ...at(lines, error.pos[0]), path: '', message: firstLine(error.message) })),
    );
    if (documents.length > 1) problems.push({ file, line: 1, column: 1, path: '', message: 'holds more than one document' });
    if (problems.length === 0) problems.push(...oddParts(document, lines, file));
    if (problems.length > 0) return { ok: false, problems };
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { ok: true, file: { value: value ?? {}, place: (path, key) => at(lines, offset(document, path, key)) } };
  } catch (error) {
    return failed(`cannot be read as YAML: ${firstLine(error instanceof Error ? error.message : 'unknown fault')}`);
  }
}

const firstLine = (message: string): string => (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');

function at(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Keys that would not survive as what they are (not a text, or a name that objects are born with) and aliases that lead nowhere or in a circle. */
function oddParts(document: Document.Parsed, lines: LineCounter, file: string): Problem[] {
  const problems: Problem[] = [];
  const anchors = new Set<string>();
  const say = (node: unknown, message: string): void => {
    problems.push({ file, ...at(lines, isNode(node) ? (node.range?.[0] ?? 0) : 0), path: '', message });
  };
  visit(document, {
    Value(_, node) {
      if (node.anchor !== undefined) anchors.add(node.anchor);
    },
    Alias(_, node, path) {
      if (!anchors.has(node.source)) say(node, `refers to &${node.source}, which does not stand before it`);
      // A value inside itself has no end: whoever walks it overflows the stack.
      else if (path.some((above) => isNode(above) && !isAlias(above) && above.anchor === node.source)) say(node, `refers to &${node.source} from inside it`);
    },
    Pair(_, { key }) {
      if (!isScalar(key) || (typeof key.value !== 'string' && typeof key.value !== 'number')) say(key, 'has a key that is not a plain text');
      else if (['__proto__', 'constructor', 'prototype'].includes(String(key.value))) say(key, `has a key that cannot be used: ${String(key.value)}`);
    },
  });
  return problems;
}

/** The offset of a path's node, following what exists and stopping at the last part found. */
function offset(document: Document.Parsed, path: readonly PropertyKey[], key?: string): number {
  let node: Node | null = document.contents;
  let found = node?.range?.[0] ?? 0;
  for (const part of key === undefined ? path : [...path, key]) {
    const inside: Node | null = isAlias(node) ? (node.resolve(document) ?? null) : node;
    if (isMap(inside)) {
      const pair: Pair | undefined = inside.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
      if (pair === undefined) return found;
      if (isNode(pair.key)) found = pair.key.range?.[0] ?? found;
      node = isNode(pair.value) ? pair.value : null;
    } else if (isSeq(inside)) {
      const item: unknown = inside.items[Number(part)];
      if (!isNode(item)) return found;
      node = item;
      found = item.range?.[0] ?? found;
    } else return found;
  }
  return found;
}

/** Why a text is too much to build: the builder recurses and compares keys pairwise, so depth and size are counted first, without recursion. */
function excess(tokens: readonly CST.Token[]): string | undefined {
  const waiting: { readonly token: CST.Token; readonly depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    count += 1;
    if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    if (count > MAX_NODES) return `holds more than ${MAX_NODES} values`;
    if (token.type === 'document' && token.value !== undefined) waiting.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const item of token.items) {
      if (item.key) waiting.push({ token: item.key, depth: depth + 1 });
      if (item.value !== undefined) waiting.push({ token: item.value, depth: depth + 1 });
    }
  }
  return undefined;
}
