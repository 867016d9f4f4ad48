import type { Handler, Operation, Tool } from './tool.js';

/** One protection, composed once per tool; a guard that does not apply returns `next` and costs nothing per call. */
export type Guard = (tool: Tool, next: Handler) => Handler;

/**
 * Composes guards around an operation, the first one outermost. The only place that turns a call into a guarded one: what reaches
 * `run` has passed every guard in the list.
 */
export const compose = (guards: readonly Guard[], tool: Tool, run: Operation): Handler =>
  guards.reduceRight<Handler>((next, guard) => guard(tool, next), run as Handler);
