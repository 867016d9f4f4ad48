import { createRequire } from 'node:module';
import type * as Babel from '@babel/parser';
import type { ParserOptions } from '@babel/parser';
import type { Stmt } from '../../ir/nodes.js';
import { maxDenseLength, type Parsed, type Reading } from '../parsed.js';
import { functionBodies } from './bodies.js';
import type { Context } from './context.js';
import { readLazily } from './lazy.js';
import { toStmts } from './statements.js';
import type { File } from '@babel/types';

/** Reads JavaScript, TypeScript or JSX; a file that cannot be read whole gives what its readable top-level pieces hold, marked partial. */
export function parseJavaScript(path: string, reading: Reading): Parsed | 'too-large' {
  const text = reading.text();
  const options = optionsFor(path);
  const bodies = text.length >= minLazyLength && !/\.[mc]?tsx?$/.test(path) ? functionBodies(text) : undefined;
  const lazy = bodies && readLazily(reading, options, bodies, tryParse);
  if (lazy) return lazy;
  if (text.length > maxDenseLength) return 'too-large';
  const context: Context = { depth: 0, partial: false };
  const whole = tryParse(text, options);
  const body = whole ? toStmts(whole.program.body, context) : pieces(text, options, context);
  return { body, partial: context.partial || whole === undefined, bytes: text.length };
}

/** In a short file most of the code is looked at anyway. */
const minLazyLength = 8_000;

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

let loaded: typeof Babel | undefined;

/** The parser, once a file needs it. By `require`: before an import, half a megabyte of it would be searched for what it exports, which takes longer than most scans. */
const babel = (): typeof Babel =>
  // It is what its types say: the version is fixed.
  (loaded ??= createRequire(import.meta.url)('@babel/parser') as typeof Babel);

/** Babel throws on what it cannot recover from, and on nesting deeper than its stack: both are an unreadable text, not a crash. */
function tryParse(text: string, options: ParserOptions): File | undefined {
  try {
    return babel().parse(text, options);
  } catch {
    return undefined;
  }
}

const maxPieces = 4_000;
const maxPieceLength = 400_000;

/**
 * Reads a broken file piece by piece: lines that start at the left margin begin a piece, and pieces that do not parse
 * alone are joined with the next few before they are given up.
 */
function pieces(text: string, options: ParserOptions, context: Context): Stmt[] {
  const starts = [...text.matchAll(/^(?=[^\s})\]/*])/gm)].map((match) => match.index).slice(0, maxPieces);
  const body: Stmt[] = [];
  for (let at = 0; at < starts.length;) {
    let taken = 1;
    let file: File | undefined;
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
