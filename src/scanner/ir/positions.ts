import type { Module, Spot } from './nodes.js';

/** A source location for reports; lines and columns are 1-based. */
export interface Location {
  readonly file: string;
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The offset at which each line of a text begins. */
export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The 1-based line and column of an offset, by binary search. */
export function positionAt(module: Module, offset: number): { line: number; column: number } {
  const starts = module.lineStarts;
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** The location of a node, for reports. */
export function locationOf(module: Module, spot: Spot): Location {
  const from = positionAt(module, spot.start);
  const to = positionAt(module, spot.end);
  return { file: module.path, startLine: from.line, startColumn: from.column, endLine: to.line, endColumn: to.column };
}
