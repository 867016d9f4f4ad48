import { createRequire } from 'node:module';
import type * as Babel from '@babel/parser';
import type { ParserOptions } from '@babel/parser';
import type { Stmt } from '../../ir/nodes.js';
import { maxDenseLength, type Parsed, type SourceText } from '../source-text.js';
import { functionBodies } from './function-bodies.js';
import type { Context } from './context.js';
import { readLazily } from './lazy.js';
import { toStmts } from './statements.js';
import type { File } from '@babel/types';

/** Parses JavaScript, TypeScript or JSX; of an invalid file the valid top-level pieces are parsed, and the result is marked partial. */
export function parseJavaScript(path: string, reading: SourceText): Parsed | 'too-large' {
  const text = reading.text();
  const options = optionsFor(path);
  // TypeScript is not scanned for bodies: generics and type assertions look like comparisons and JSX.
  const bodies = text.length >= minLazyLength && !/\.[mc]?tsx?$/.test(path) ? functionBodies(text) : undefined;
  const lazy = bodies && readLazily(reading, options, bodies, tryParse);
  if (lazy) return lazy;
  if (text.length > maxDenseLength) return 'too-large';
  const context: Context = { depth: 0, partial: false };
  const whole = tryParse(text, options);
  const body = whole ? toStmts(whole.program.body, context) : parsePieces(text, options, context);
  return { body, partial: context.partial || whole === undefined, bytes: text.length };
}

/** In shorter files most of the code is needed anyway. */
const minLazyLength = 8_000;

/** Options of Babel: as tolerant as possible, because the goal is to read code, not to reject it. */
function optionsFor(path: string): ParserOptions {
  const typescript = /\.[mc]?tsx?$/.test(path);
  return {
    sourceType: 'unambiguous',
    errorRecovery: true,
    attachComment: false,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
    allowNewTargetOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
    plugins: [
      ...(typescript ? (['typescript'] as const) : []),
      ...(/\.[mc]?ts$/.test(path) ? [] : (['jsx'] as const)),
      'decorators-legacy',
      'decoratorAutoAccessors',
      'explicitResourceManagement',
      'importAttributes',
    ],
  };
}

/** Loaded once per process. */
let babelModule: typeof Babel | undefined;

/** Loads Babel on demand. By `require`: an ESM import would lex half a megabyte of CommonJS for its exports, which takes longer than most scans. */
const babel = (): typeof Babel =>
  // Safe cast: the version is pinned.
  (babelModule ??= createRequire(import.meta.url)('@babel/parser') as typeof Babel);

/** Babel throws on unrecoverable errors and on a stack overflow by deep nesting; both mean an invalid text, not a crash. */
function tryParse(text: string, options: ParserOptions): File | undefined {
  try {
    return babel().parse(text, options);
  } catch {
    return undefined;
  }
}

/** Bounds for files that do not parse. */
const maxPieces = 4_000;
const maxPieceLength = 400_000;

/**
 * Parses an invalid file in pieces: every unindented line starts a piece, and a piece that does not parse is joined with
 * the next few before it is skipped.
 */
function parsePieces(text: string, options: ParserOptions, context: Context): Stmt[] {
  const starts = [...text.matchAll(/^(?=[^\s})\]/*])/gm)].map((match) => match.index).slice(0, maxPieces);
  const body: Stmt[] = [];
  for (let at = 0; at < starts.length;) {
    let taken = 1;
    let file: File | undefined;
    // A statement may span several unindented lines.
    for (; taken <= 3 && file === undefined; taken += 1) {
      const piece = text.slice(starts[at], starts[at + taken]);
      const from = starts[at] ?? 0;
      file =
        piece.length > maxPieceLength
          ? undefined
          : tryParse(piece, { ...options, startIndex: from, startLine: 1, startColumn: from });
    }
    if (file) body.push(...toStmts(file.program.body, context));
    at += file ? taken - 1 : 1;
  }
  return body;
}
