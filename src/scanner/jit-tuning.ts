import { setFlagsFromString } from 'node:v8';

/** V8 of Node 20; later versions have a mid-tier compiler (Maglev) and different flags. */
const measuredV8Major = '11';

/**
 * Raises V8's interrupt budget sixfold, which delays optimizing compilation: a scan runs the same functions over objects
 * of many shapes, so early optimized code is deoptimized again and again. A typical scan takes two thirds of the time.
 * The flag is process-wide, so only dedicated scan processes call this.
 */
export function delayOptimization(): void {
  if (process.versions.v8.split('.')[0] === measuredV8Major) setFlagsFromString('--interrupt-budget=400000');
}
