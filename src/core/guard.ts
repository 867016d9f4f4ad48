import type { Handler, Tool } from './tool.js';

/** One protection, composed once per tool; a guard that does not apply returns `next` and costs nothing per call. */
export type Guard = (tool: Tool, next: Handler) => Handler;

/** Composes guards around a handler, the first one outermost. */
export const compose = (guards: readonly Guard[], tool: Tool, run: Handler): Handler =>
  guards.reduceRight<Handler>((next, guard) => guard(tool, next), run);
