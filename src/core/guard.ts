import type { Handler, Tool } from './tool.js';

/** One protection, wired once per tool; a guard that does not apply to a tool returns `next` and is gone. */
export type Guard = (tool: Tool, next: Handler) => Handler;

/** Wires guards around a handler, the first one outermost. */
export const compose = (guards: readonly Guard[], tool: Tool, run: Handler): Handler =>
  guards.reduceRight<Handler>((next, guard) => guard(tool, next), run);
