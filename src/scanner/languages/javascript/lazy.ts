import type { ParserOptions } from '@babel/parser';
import type { File } from '@babel/types';
import type { Stmt, DeferredBody } from '../../ir/nodes.js';
import { maxDenseLength, type Parsed, type SourceText } from '../source-text.js';
import type { Bodies } from './function-bodies.js';
import type { Context, FunctionHead, LazyBody } from './context.js';
import { toStmts } from './statements.js';

/** State shared by all parts of one file. */
interface LazySource {
  readonly reading: SourceText;
  readonly bodies: Bodies;
  readonly length: number;
  readonly parse: (text: string, startIndex: number) => File | undefined;
  partial: boolean;
}

/** Shorter bodies are parsed with the surrounding code, because a parser start costs about as much; in a large program memory matters more. */
const minLengthIn = (source: LazySource): number => (source.length < minPiecesLength ? 300 : 80);

/**
 * Parses a program with blanked-out function bodies; undefined if a blank is not a function body, so that the text must
 * be parsed completely: otherwise an attacker could hide code in the skipped range.
 */
export function readLazily(
  reading: SourceText,
  options: ParserOptions,
  bodies: Bodies,
  tryParse: (text: string, options: ParserOptions) => File | undefined,
): Parsed | 'too-large' | undefined {
  const { length } = reading.text();
  const source: LazySource = {
    reading,
    bodies,
    length,
    parse: (text, startIndex) =>
      tryParse(text, startIndex === 0 ? options : { ...options, startIndex, startLine: 1, startColumn: startIndex }),
    partial: false,
  };
  const made = parseInPieces(source) ?? parseTopLevel(source, 0, length, 0);
  return made === undefined || made === 'too-large'
    ? made
    : {
        body: made.body,
        bytes: made.bytes,
        get partial() {
          return source.partial;
        },
      };
}

/** Syntax nodes of a part. */
type Nodes = Parameters<typeof toStmts>[0];

/** Statements of a part and the number of characters that were parsed for it. */
interface ParsedPart {
  readonly body: Stmt[];
  readonly bytes: number;
}

/** Parses top-level statements. */
const parseTopLevel = (
  source: LazySource,
  from: number,
  to: number,
  firstPair: number,
): ParsedPart | 'too-large' | undefined =>
  parsePart(source, from, to, firstPair, 0, (shell) => source.parse(shell, from)?.program.body);

/**
 * Parses a large program in pieces, since Babel's tree of the whole program would take most of the memory of a scan. A
 * piece cut at a wrong place does not parse: then the next cut is tried, and after some failures the result is undefined
 * and the text must be parsed at once.
 */
function parseInPieces(source: LazySource): ParsedPart | 'too-large' | undefined {
  if (source.length < minPiecesLength) return undefined;
  const { cuts, outside } = cutsIn(currentText(source), source.bodies);
  // Blanking bodies does not help if most of the code is outside of functions.
  if (outside > maxPiecesBytes) return 'too-large';
  if (cuts.length < 2) return undefined;
  const body: Stmt[] = [];
  let [bytes, from, firstPair] = [0, 0, 0];
  for (let at = 0; at < cuts.length;) {
    let made: ReturnType<typeof parseTopLevel>;
    // A cut inside of a template or comment does not parse; the next one usually does.
    for (let tries = 0; tries < maxTries && at < cuts.length && typeof made !== 'object'; tries += 1, at += 1) {
      made = parseTopLevel(source, from, cuts[at] ?? source.length, firstPair);
    }
    if (typeof made !== 'object') return undefined;
    for (const stmt of made.body) body.push(stmt);
    bytes += made.bytes;
    if (bytes > maxPiecesBytes) return 'too-large';
    from = cuts[at - 1] ?? source.length;
    while (firstPair < source.bodies.length && (source.bodies[firstPair] ?? 0) < from) firstPair += 2;
  }
  return { body, bytes };
}

/** Shorter programs are parsed at once. */
const minPiecesLength = 2_000_000;
/** Approximate size of a piece, without function bodies. */
const pieceBytes = 200_000;
/** Attempts to join a piece with the next one. */
const maxTries = 4;
/** Limit for code outside functions; more would exceed the memory limit of a scan. */
const maxPiecesBytes = 7_000_000;
/** A declaration at the start of a line: outside of functions a safe place to cut. */
const declarationStart = /\n(?=(?:class|function|export|import|const|let|var)\b)/;

/** Offsets where pieces may end (before a declaration at the start of a line, outside functions; the last is the end of the text), and the size of the code outside functions. */
function cutsIn(text: string, bodies: Bodies): { readonly cuts: readonly number[]; readonly outside: number } {
  const cuts: number[] = [];
  let pair = 0;
  let [at, dense, outside] = [0, 0, 0];
  while (at < text.length) {
    // Outermost bodies only: a nested body starts before its parent ends.
    while (pair < bodies.length && (bodies[pair] ?? 0) < at) pair += 2;
    const open = bodies[pair] ?? text.length;
    dense += open - at;
    outside += open - at;
    if (dense > pieceBytes) {
      const found = text.slice(at, open).search(declarationStart);
      if (found !== -1) {
        cuts.push(at + found + 1);
        dense = open - at - found;
      }
    }
    at = pair < bodies.length ? (bodies[pair + 1] ?? text.length) : text.length;
  }
  return { cuts: [...cuts, text.length], outside };
}

/** Parses one part with blanked-out bodies; undefined if it does not parse or a blank is not a function body. */
function parsePart(
  source: LazySource,
  from: number,
  to: number,
  firstPair: number,
  depth: number,
  parse: (shell: string) => Nodes | undefined,
): ParsedPart | 'too-large' | undefined {
  const { shell, blanks, bytes } = blankBodies(source, from, to, firstPair);
  if (bytes > maxDenseLength) return 'too-large';
  const nodes = parse(shell);
  if (!nodes) return undefined;
  let claimed = 0;
  const context: Context = {
    depth,
    partial: false,
    // A blank becomes a deferred body when the parser arrives at it as a function.
    lazyBody: (open, head, at) => {
      const pair = blanks.get(open);
      if (pair === undefined) return undefined;
      claimed += 1;
      return new DeferredFunctionBody(source, pair, head, at);
    },
  };
  const body = toStmts(nodes, context);
  // A blank that is no function body would hide code, so that the part is parsed again as a whole.
  if (claimed !== blanks.size) return undefined;
  source.partial ||= context.partial;
  return { body, bytes };
}

/** A deferred function body: its range and how to parse it. A class, because closures per body would take more memory. */
class DeferredFunctionBody implements LazyBody {
  readonly #source: LazySource;
  readonly #pair: number;
  readonly #head: FunctionHead;
  readonly #depth: number;
  #known: readonly Stmt[] | undefined;

  constructor(source: LazySource, pair: number, head: FunctionHead, depth: number) {
    this.#source = source;
    this.#pair = pair;
    this.#head = head;
    this.#depth = depth;
  }

  body(): readonly Stmt[] {
    return (this.#known ??= this.#kept());
  }

  unread(): DeferredBody | undefined {
    if (this.#known) return undefined;
    const [open = 0, close = 0] = this.#source.bodies.subarray(this.#pair, this.#pair + 2);
    return { text: () => currentText(this.#source).slice(open, close + 1), parseOnce: () => this.#read().body };
  }

  // Parsing is bounded by a budget of bytes for the whole scan; beyond it the body counts as unread.
  #kept(): readonly Stmt[] {
    const { reading } = this.#source;
    const made = reading.reserveBytes(0) ? this.#read() : undefined;
    const hasRoom = made !== undefined && reading.reserveBytes(made.bytes);
    this.#source.partial ||= !hasRoom;
    return made && hasRoom ? made.body : [];
  }

  #read(): { readonly body: readonly Stmt[]; readonly bytes: number } {
    const [open = 0, close = 0] = this.#source.bodies.subarray(this.#pair, this.#pair + 2);
    return readBody(this.#source, open, close, this.#pair, this.#head, this.#depth);
  }
}

/** The original text; a file that changed since (TOCTOU) has other offsets and is not parsed further. */
function currentText(source: LazySource): string {
  const text = source.reading.text();
  if (text.length === source.length) return text;
  source.partial = true;
  return ' '.repeat(source.length);
}

/** Parses one body inside of a synthetic function, so that `return`, `await` and `yield` are valid. */
function readBody(
  source: LazySource,
  open: number,
  close: number,
  pair: number,
  head: FunctionHead,
  depth: number,
): { readonly body: readonly Stmt[]; readonly bytes: number } {
  const before = `${head.isAsync ? 'async ' : ''}function${head.isGenerator ? '*' : ''} f(){`;
  const parse = (shell: string): Nodes | undefined => {
    const [fn] = source.parse(`${before}${shell}}`, open + 1 - before.length)?.program.body ?? [];
    return fn?.type === 'FunctionDeclaration' ? fn.body.body : undefined;
  };
  const made = parsePart(source, open + 1, close, pair + 2, depth, parse);
  // The blanks of this body were wrong: it is parsed as a whole, within its bound.
  if (made && made !== 'too-large') return made;
  const context: Context = { depth, partial: false };
  const nodes = close - open > maxDenseLength ? undefined : parse(currentText(source).slice(open + 1, close));
  const whole = nodes ? toStmts(nodes, context) : [];
  source.partial ||= !nodes || context.partial;
  return { body: whole, bytes: close - open };
}

/** The text of a part with function bodies replaced by spaces, so that offsets stay the same, and the blanked pairs by opening offset. */
function blankBodies(
  source: LazySource,
  from: number,
  to: number,
  firstPair: number,
): { readonly shell: string; readonly blanks: ReadonlyMap<number, number>; readonly bytes: number } {
  const { bodies } = source;
  const minLength = minLengthIn(source);
  const text = currentText(source);
  let bytes = to - from;
  const pieces: string[] = [];
  const blanks = new Map<number, number>();
  let at = from;
  for (let pair = firstPair; pair < bodies.length && (bodies[pair] ?? to) < to; pair += 2) {
    const open = bodies[pair] ?? 0;
    const close = bodies[pair + 1] ?? 0;
    // Nested bodies are already blank; a synthetic function head must fit before the body when it is parsed.
    if (open < at || close - open < minLength || open < 32) continue;
    blanks.set(open, pair);
    pieces.push(text.slice(at, open + 1), ' '.repeat(close - open - 1));
    at = close;
    bytes -= close - open - 1;
  }
  pieces.push(text.slice(at, to));
  return { shell: pieces.join(''), blanks, bytes };
}
