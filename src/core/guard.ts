import type { Stage, StageRecorder } from './stage.js';
import { recordStages } from './stage.js';
import type { Handler, Operation, Tool } from './tool.js';

/** One protection, composed once per tool; a guard that does not apply returns `next` and costs nothing per call. */
export type Guard = (tool: Tool, next: Handler) => Handler;

/**
 * Composes the stages of the pipeline around an operation, the first one outermost. The only place that turns a call into a guarded
 * one: what reaches `run` has passed every guard in the list. Without a recorder the guards are all there is.
 */
export function compose(stages: readonly Stage[], tool: Tool, run: Operation, recorder?: StageRecorder): Handler {
  const plain = stages.reduceRight<Handler>((next, { guard }) => guard(tool, next), run as Handler);
  if (recorder === undefined) return plain;
  let recorded: Handler | undefined;
  return (call) =>
    recorder.isActive() ? (recorded ??= compose(recordStages(stages, recorder), tool, run))(call) : plain(call);
}
