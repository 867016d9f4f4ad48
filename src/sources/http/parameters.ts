import type { Args } from '../../core/call.js';
import { schemaContract } from '../../core/contract.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Contract } from '../../core/tool.js';
import type { Parameter, ParameterType } from './declarations.js';

const schemas: Readonly<Record<ParameterType, JsonObject>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array', items: {} },
  object: { type: 'object' },
};

/** The contract of a list of parameters: nothing else is accepted, and defaults are filled in. */
export function parameterContract(parameters: readonly Parameter[]): Contract<Args> {
  const required = parameters.filter((one) => one.required && one.default === undefined).map((one) => one.name);
  const contract = schemaContract({
    type: 'object',
    properties: Object.fromEntries(parameters.map((one) => [one.name, schemaOf(one)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  });
  const given = parameters.flatMap(({ name, default: value }): readonly (readonly [string, Json])[] =>
    value === undefined ? [] : [[name, value]],
  );
  if (given.length === 0) return contract;
  const defaults: JsonObject = Object.fromEntries(given);
  return {
    schema: contract.schema,
    async parse(value) {
      const parsed = await contract.parse(value);
      return parsed.ok ? { ...parsed, value: { ...defaults, ...parsed.value } } : parsed;
    },
  };
}

/** The contract of a function that declares no parameters: one optional object that is passed through. */
export const passThrough: Contract<Args> = schemaContract({
  type: 'object',
  properties: { args: { type: 'object', description: 'Arguments of the function, passed on as they are' } },
  additionalProperties: false,
});

function schemaOf({ type, description, enum: values, default: byDefault }: Parameter): JsonObject {
  return {
    ...schemas[type],
    ...(description !== undefined && { description }),
    ...(values && { enum: values }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
}
