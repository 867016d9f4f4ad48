import type { ParserOptions } from '@babel/parser';
import type { File } from '@babel/types';
import type { Stmt } from '../../ir/nodes.js';
import type { Bodies } from './bodies.js';
import type { Context, Head, Later } from './context.js';
import { toStmts } from './statements.js';

/** A program whose long function bodies are read when they are asked for. */
export interface LazyProgram {
  readonly body: readonly Stmt[];
  /** True once a body turned out to be unreadable. */
  readonly isPartial: () => boolean;
}

/** What all parts of one file share. */
interface Source {
  readonly text: string;
  readonly bodies: Bodies;
  readonly parse: (text: string, startIndex: number) => File | undefined;
  partial: boolean;
}

/** Shorter bodies are read with the code around them: starting a parser costs about as much. */
const minLength = 300;

/**
 * Reads a program with the bodies of its functions left blank; undefined where a blank turned out to be no body, so
 * that the text must be read whole: whoever makes us skip something that is no function could hide code there.
 */
export function readLazily(text: string, options: ParserOptions, bodies: Bodies, tryParse: (text: string, options: ParserOptions) => File | undefined): LazyProgram | undefined {
  const source: Source = { text, bodies, parse: (part, startIndex) => tryParse(part, startIndex === 0 ? options : { ...options, startIndex, startLine: 1, startColumn: startIndex }), partial: false };
  const body = part(source, 0, text.length, 0, 0, (shell) => source.parse(shell, 0)?.program.body);
  return body && { body, isPartial: () => source.partial };
}

type Nodes = Parameters<typeof toStmts>[0];

/** Reads one part with what is inside it left blank; undefined where it cannot be read or a blank is no function's body. */
function part(source: Source, from: number, to: number, firstPair: number, depth: number, parse: (shell: string) => Nodes | undefined): Stmt[] | undefined {
  const { shell, blanks } = shellOf(source, from, to, firstPair);
  const nodes = parse(shell);
  if (!nodes) return undefined;
  let claimed = 0;
  const context: Context = {
    depth, partial: false,
    later: (open, head, at) => {
      const pair = blanks.get(open);
      if (pair === undefined) return undefined;
      claimed += 1;
      return laterBody(source, pair, head, at);
    },
  };
  const body = toStmts(nodes, context);
  if (claimed !== blanks.size) return undefined;
  source.partial ||= context.partial;
  return body;
}

function laterBody(source: Source, pair: number, head: Head, depth: number): Later {
  const { text, bodies } = source;
  const [open = 0, close = 0] = bodies.subarray(pair, pair + 2);
  let known: readonly Stmt[] | undefined;
  return {
    body: () => (known ??= readBody(source, open, close, pair, head, depth)),
    unread: () => (known ? undefined : text.slice(open, close + 1)),
  };
}

function readBody(source: Source, open: number, close: number, pair: number, head: Head, depth: number): readonly Stmt[] {
  const before = `${head.isAsync ? 'async ' : ''}function${head.isGenerator ? '*' : ''} f(){`;
  const parse = (shell: string): Nodes | undefined => {
    const [fn] = source.parse(`${before}${shell}}`, open + 1 - before.length)?.program.body ?? [];
    return fn?.type === 'FunctionDeclaration' ? fn.body.body : undefined;
  };
  const body = part(source, open + 1, close, pair + 2, depth, parse);
  if (body) return body;
  const context: Context = { depth, partial: false };
  const nodes = parse(source.text.slice(open + 1, close));
  const whole = nodes ? toStmts(nodes, context) : [];
  source.partial ||= !nodes || context.partial;
  return whole;
}

/** The text of a part with the bodies of functions in it blank, so that every offset stays what it was, and the pairs that are blank by where they open. */
function shellOf({ text, bodies }: Source, from: number, to: number, firstPair: number): { readonly shell: string; readonly blanks: ReadonlyMap<number, number> } {
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
  }
  pieces.push(text.slice(at, to));
  return { shell: pieces.join(''), blanks };
}
