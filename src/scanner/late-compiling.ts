import { setFlagsFromString } from 'node:v8';

/** The engine of Node 20; later ones have a compiler between, and other words for this. */
const measured = '11';

/**
 * Lets the engine wait six times as long before it compiles a function for good: a scan runs the same functions over
 * things of many shapes, and what was compiled for the first of them is thrown away at the next, again and again. For
 * programs that only scan, since it holds for the whole process: a usual server takes two thirds of the time.
 */
export function compileLate(): void {
  if (process.versions.v8.split('.')[0] === measured) setFlagsFromString('--interrupt-budget=400000');
}
