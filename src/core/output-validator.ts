import { schemaValidator } from '../lib/json/schema.js';
import type { Json } from './json.js';
import type { Tool } from './tool.js';

/** Whether data matches a tool's output schema; true without a schema, or with one that cannot be compiled. */
export function outputValidator(tool: Tool): (data: Json) => boolean {
  let validate: ((data: Json) => boolean) | undefined;
  return (data) => (validate ??= compileOutputSchema(tool))(data);
}

function compileOutputSchema({ output }: Tool): (data: Json) => boolean {
  if (output === undefined) return () => true;
  const validator = schemaValidator(output.schema);
  return (data) => {
    try {
      return validator(data).length === 0;
    } catch {
      return true; // an unresolvable reference: the schema cannot be enforced
    }
  };
}
