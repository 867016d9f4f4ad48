import type { ParserOptions } from '@babel/parser';
import type { File } from '@babel/types';
import type { Stmt, Unread } from '../../ir/nodes.js';
import { maxDenseLength, type Parsed, type Reading } from '../parsed.js';
import type { Bodies } from './bodies.js';
import type { Context, Head, Later } from './context.js';
import { toStmts } from './statements.js';

/** What all parts of one file share. */
interface Source {
  readonly reading: Reading;
  readonly bodies: Bodies;
  readonly length: number;
  readonly parse: (text: string, startIndex: number) => File | undefined;
  partial: boolean;
}

/** Shorter bodies are read with the code around them: starting a parser costs about as much. In a large program memory counts more. */
const minLengthIn = (source: Source): number => (source.length < minPiecesLength ? 300 : 80);

/**
 * Reads a program with the bodies of its functions left blank; undefined where a blank turned out to be no body, so
 * that the text must be read whole: whoever makes us skip something that is no function could hide code there.
 */
export function readLazily(
  reading: Reading,
  options: ParserOptions,
  bodies: Bodies,
  tryParse: (text: string, options: ParserOptions) => File | undefined,
): Parsed | 'too-large' | undefined {
  const { length } = reading.text();
  const source: Source = {
    reading,
    bodies,
    length,
    parse: (text, startIndex) =>
      tryParse(text, startIndex === 0 ? options : { ...options, startIndex, startLine: 1, startColumn: startIndex }),
    partial: false,
  };
  const made = inPieces(source) ?? piece(source, 0, length, 0);
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

type Nodes = Parameters<typeof toStmts>[0];

interface Part {
  readonly body: Stmt[];
  readonly bytes: number;
}

/** Reads statements at the top of a program. */
const piece = (source: Source, from: number, to: number, firstPair: number): Part | 'too-large' | undefined =>
  part(source, from, to, firstPair, 0, (shell) => source.parse(shell, from)?.program.body);

/**
 * Reads a large program piece by piece, since the parser's own tree of all of it would take most of the memory of a
 * scan. A cut in the wrong place leaves a piece that is no program: then the next one is tried, and where that fails
 * too, undefined says that the text must be read at once.
 */
function inPieces(source: Source): Part | 'too-large' | undefined {
  if (source.length < minPiecesLength) return undefined;
  const { cuts, outside } = cutsIn(textOf(source), source.bodies);
  if (outside > maxPiecesBytes) return 'too-large';
  if (cuts.length < 2) return undefined;
  const body: Stmt[] = [];
  let [bytes, from, firstPair] = [0, 0, 0];
  for (let at = 0; at < cuts.length;) {
    let made: ReturnType<typeof piece>;
    for (let tries = 0; tries < maxTries && at < cuts.length && typeof made !== 'object'; tries += 1, at += 1) {
      made = piece(source, from, cuts[at] ?? source.length, firstPair);
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

/** Shorter programs are read at once. */
const minPiecesLength = 2_000_000;
/** How much code outside functions a piece has, about. */
const pieceBytes = 200_000;
const maxTries = 4;
/** More code than this outside functions takes more memory as nodes than a scan may take. */
const maxPiecesBytes = 7_000_000;
const begins = /\n(?=(?:class|function|export|import|const|let|var)\b)/;

/** Where pieces may end: before a line that begins a declaration, outside the bodies of functions; the last is the end of the text. With how much stands outside functions. */
function cutsIn(text: string, bodies: Bodies): { readonly cuts: readonly number[]; readonly outside: number } {
  const cuts: number[] = [];
  let pair = 0;
  let [at, dense, outside] = [0, 0, 0];
  while (at < text.length) {
    // Outermost bodies only: a body inside another begins before that one ends.
    while (pair < bodies.length && (bodies[pair] ?? 0) < at) pair += 2;
    const open = bodies[pair] ?? text.length;
    dense += open - at;
    outside += open - at;
    if (dense > pieceBytes) {
      const found = text.slice(at, open).search(begins);
      if (found !== -1) {
        cuts.push(at + found + 1);
        dense = open - at - found;
      }
    }
    at = pair < bodies.length ? (bodies[pair + 1] ?? text.length) : text.length;
  }
  return { cuts: [...cuts, text.length], outside };
}

/** Reads one part with what is inside it left blank; undefined where it cannot be read or a blank is no function's body. */
function part(
  source: Source,
  from: number,
  to: number,
  firstPair: number,
  depth: number,
  parse: (shell: string) => Nodes | undefined,
): Part | 'too-large' | undefined {
  const { shell, blanks, bytes } = shellOf(source, from, to, firstPair);
  if (bytes > maxDenseLength) return 'too-large';
  const nodes = parse(shell);
  if (!nodes) return undefined;
  let claimed = 0;
  const context: Context = {
    depth,
    partial: false,
    later: (open, head, at) => {
      const pair = blanks.get(open);
      if (pair === undefined) return undefined;
      claimed += 1;
      return new LaterBody(source, pair, head, at);
    },
  };
  const body = toStmts(nodes, context);
  if (claimed !== blanks.size) return undefined;
  source.partial ||= context.partial;
  return { body, bytes };
}

/** A body that is left out: only where it stands and how it is to be read. A class, since closures for each would take more than that. */
class LaterBody implements Later {
  readonly #source: Source;
  readonly #pair: number;
  readonly #head: Head;
  readonly #depth: number;
  #known: readonly Stmt[] | undefined;

  constructor(source: Source, pair: number, head: Head, depth: number) {
    this.#source = source;
    this.#pair = pair;
    this.#head = head;
    this.#depth = depth;
  }

  body(): readonly Stmt[] {
    return (this.#known ??= this.#kept());
  }

  unread(): Unread | undefined {
    if (this.#known) return undefined;
    const [open = 0, close = 0] = this.#source.bodies.subarray(this.#pair, this.#pair + 2);
    return { text: () => textOf(this.#source).slice(open, close + 1), glance: () => this.#read().body };
  }

  #kept(): readonly Stmt[] {
    const { reading } = this.#source;
    const made = reading.takeRoom(0) ? this.#read() : undefined;
    const hasRoom = made !== undefined && reading.takeRoom(made.bytes);
    this.#source.partial ||= !hasRoom;
    return made && hasRoom ? made.body : [];
  }

  #read(): { readonly body: readonly Stmt[]; readonly bytes: number } {
    const [open = 0, close = 0] = this.#source.bodies.subarray(this.#pair, this.#pair + 2);
    return readBody(this.#source, open, close, this.#pair, this.#head, this.#depth);
  }
}

/** The text as it was: a file that changed since has other bodies, and is read no further. */
function textOf(source: Source): string {
  const text = source.reading.text();
  if (text.length === source.length) return text;
  source.partial = true;
  return ' '.repeat(source.length);
}

function readBody(
  source: Source,
  open: number,
  close: number,
  pair: number,
  head: Head,
  depth: number,
): { readonly body: readonly Stmt[]; readonly bytes: number } {
  const before = `${head.isAsync ? 'async ' : ''}function${head.isGenerator ? '*' : ''} f(){`;
  const parse = (shell: string): Nodes | undefined => {
    const [fn] = source.parse(`${before}${shell}}`, open + 1 - before.length)?.program.body ?? [];
    return fn?.type === 'FunctionDeclaration' ? fn.body.body : undefined;
  };
  const made = part(source, open + 1, close, pair + 2, depth, parse);
  if (made && made !== 'too-large') return made;
  const context: Context = { depth, partial: false };
  const nodes = close - open > maxDenseLength ? undefined : parse(textOf(source).slice(open + 1, close));
  const whole = nodes ? toStmts(nodes, context) : [];
  source.partial ||= !nodes || context.partial;
  return { body: whole, bytes: close - open };
}

/** The text of a part with the bodies of functions in it blank, so that every offset stays what it was, and the pairs that are blank by where they open. */
function shellOf(
  source: Source,
  from: number,
  to: number,
  firstPair: number,
): { readonly shell: string; readonly blanks: ReadonlyMap<number, number>; readonly bytes: number } {
  const { bodies } = source;
  const minLength = minLengthIn(source);
  const text = textOf(source);
  let bytes = to - from;
  const pieces: string[] = [];
  const blanks = new Map<number, number>();
  let at = from;
  for (let pair = firstPair; pair < bodies.length && (bodies[pair] ?? to) < to; pair += 2) {
    const open = bodies[pair] ?? 0;
    const close = bodies[pair + 1] ?? 0;
    // What is inside a blank is blank already; a head must fit in before the body when it is read.
    if (open < at || close - open < minLength || open < 32) continue;
    blanks.set(open, pair);
    pieces.push(text.slice(at, open + 1), ' '.repeat(close - open - 1));
    at = close;
    bytes -= close - open - 1;
  }
  pieces.push(text.slice(at, to));
  return { shell: pieces.join(''), blanks, bytes };
}
