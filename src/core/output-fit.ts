import { judge } from '../lib/schema.js';
import type { Json } from './json.js';
import type { Tool } from './tool.js';

/** Whether data fits what a tool promises of it; where nothing is promised, or the promise cannot be read, everything does. */
export function outputFit(tool: Tool): (data: Json) => boolean {
  let fits: ((data: Json) => boolean) | undefined;
  return (data) => (fits ??= judgeOf(tool))(data);
}

function judgeOf({ output }: Tool): (data: Json) => boolean {
  if (output === undefined) return () => true;
  const judged = judge(output.schema);
  return (data) => {
    try {
      return judged(data).length === 0;
    } catch {
      return true; // a schema that refers to nowhere promises nothing
    }
  };
}
