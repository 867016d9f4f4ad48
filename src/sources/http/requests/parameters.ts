import type { Args } from '../../../core/call.js';
import { schemaContract } from '../../../core/contract.js';
import type { JsonObject } from '../../../core/json.js';
import type { Contract } from '../../../core/tool.js';
import type { Parameter, ParameterType } from '../declarations.js';

/** JSON Schema of each declared type. */
const typeSchemas: Readonly<Record<ParameterType, JsonObject>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array', items: {} },
  object: { type: 'object' },
};

/** Contract of declared parameters: unknown arguments are rejected, defaults are filled in. */
export function parameterContract(parameters: readonly Parameter[]): Contract<Args> {
  const required = parameters
    // A required parameter with a default is satisfied by the default.
    .filter((parameter) => parameter.required && parameter.default === undefined)
    .map((parameter) => parameter.name);
  return schemaContract({
    type: 'object',
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameterSchema(parameter)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
}

/** Contract of a function without declared parameters: one optional object, passed through. */
export const passThroughContract: Contract<Args> = schemaContract({
  type: 'object',
  properties: { args: { type: 'object', description: 'Arguments of the function, passed through unchanged' } },
  additionalProperties: false,
});

/** Schema of one parameter. */
function parameterSchema({ type, description, enum: values, default: byDefault }: Parameter): JsonObject {
  return {
    ...typeSchemas[type],
    ...(description !== undefined && { description }),
    ...(values && { enum: values }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
}
