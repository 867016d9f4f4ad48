import { z } from 'zod';
import type { DeepReadonly } from '../../lib/deep-readonly.js';
import { identifier, secretField } from '../../lib/config-fields.js';

/** Types of arguments, in the words of function servers. */
const parameterTypes = ['string', 'integer', 'float', 'boolean', 'array', 'object'] as const;

/** Whether a value of the configuration has the declared type. */
const typeChecks = {
  string: (value: unknown) => typeof value === 'string',
  integer: (value: unknown) => Number.isSafeInteger(value),
  float: (value: unknown) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
} as const satisfies Record<(typeof parameterTypes)[number], (value: unknown) => boolean>;

/** Names that are valid in JSON, in URLs and as properties; `__proto__` is excluded (prototype pollution). */
const argumentName = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
    'must be 1 to 64 letters, digits, _, . or -, and begin with a letter or _',
  );

/** Fields that all parameters have. */
export const parameterShape = {
  name: argumentName.describe('Name of the argument.'),
  type: z.enum(parameterTypes).default('string').describe('Its type.'),
  required: z.boolean().default(false).describe('Whether a caller must give it.'),
  description: z.exactOptional(z.string().max(4096)).describe('What it is for.'),
  enum: z
    .exactOptional(z.array(z.unknown().describe('One value.')).min(1).max(1000))
    .describe('The only values it may have.'),
  default: z.unknown().optional().describe('Value sent if the caller gives none.'),
};

/** The part of a parameter that is checked across fields. */
interface Declared {
  readonly name: string;
  readonly type: (typeof parameterTypes)[number];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

/** Finds duplicate parameters, and values that do not match their type. */
export function checkParameters(
  all: readonly Declared[],
  context: z.RefinementCtx,
  path: readonly PropertyKey[],
): void {
  const report = (where: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: 'custom', path: [...path, ...where], message });
  all.forEach((parameter, index) => {
    if (all.findIndex((earlier) => earlier.name === parameter.name) < index)
      report([index, 'name'], 'is a duplicate parameter name');
    parameter.enum?.forEach((value, at) => {
      if (!typeChecks[parameter.type](value)) report([index, 'enum', at], `is not of type ${parameter.type}`);
    });
    if (parameter.default === undefined) return;
    if (!typeChecks[parameter.type](parameter.default)) report([index, 'default'], `is not of type ${parameter.type}`);
    else if (
      parameter.enum &&
      // Compared as JSON, since defaults may be objects or lists.
      !parameter.enum.some((value) => JSON.stringify(value) === JSON.stringify(parameter.default))
    )
      report([index, 'default'], 'is not one of the values in enum');
  });
}

/** Headers by name; values may contain `${NAME}` references. */
export const headerFields = z
  .record(
    z.string().regex(/^(?!__proto__$)[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be a header name'),
    secretField.describe('Its value.'),
  )
  .default({})
  .superRefine((given, context) => {
    for (const header of Object.keys(given)) {
      // Hop-by-hop and framing headers would allow request smuggling or another target host.
      if (
        /^(host|connection|keep-alive|transfer-encoding|content-length|te|trailer|upgrade|expect|proxy-.*)$/i.test(
          header,
        )
      )
        context.addIssue({ code: 'custom', path: [header], message: 'is set by the gateway itself' });
    }
  })
  .describe('Headers sent with every call; values may contain `${NAME}`.');

/** Per-tool limits that override `outbound`. */
export const callShape = {
  timeout: z
    .exactOptional(z.number().min(0.1).max(600))
    .describe('Seconds one attempt may take; by default `outbound.timeout`.'),
  retries: z
    .exactOptional(z.int().min(1).max(10))
    .describe('Total attempts, for calls that may be retried; by default `outbound.retries`.'),
  max_response_bytes: z
    .exactOptional(z.int().min(1024).max(1_073_741_824))
    .describe('Largest decoded response; by default `outbound.max_response_bytes`.'),
  circuit_breaker: z
    .exactOptional(
      z.strictObject({
        failure_threshold: z
          .exactOptional(z.int().min(1).max(100))
          .describe('Consecutive failures that open the breaker of this origin.'),
        recovery_timeout: z
          .exactOptional(z.number().min(1).max(600))
          .describe('Seconds it stays open before one probe.'),
      }),
    )
    .describe(
      'As `outbound.circuit_breaker`, for this origin; if several tools share an origin, the strictest setting applies.',
    ),
};

/** Declared effects of a tool, for hints and retries. */
export const effectsShape = {
  read_only: z.exactOptional(z.boolean()).describe('Whether a call changes nothing.'),
  destructive: z.exactOptional(z.boolean()).describe('Whether a call may delete or overwrite.'),
  idempotent: z
    .exactOptional(z.boolean())
    .describe('Whether repeating a call has no further effect; only such calls are retried.'),
  idempotency_key: z
    .boolean()
    .default(false)
    .describe('Send an `Idempotency-Key` per call, which makes any call safe to retry.'),
  labels: z
    .array(z.string().regex(/^[a-z0-9:_-]{1,64}$/, 'must be 1 to 64 of a-z, 0-9, :, _ or -'))
    .default([])
    .describe('Labels for policies, such as `reads:private`.'),
};

/** One function of the section `mcp_tools`. */
const mcpTool = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('URL of the function server; its host must be in `outbound.allowed_domains`.'),
    func_name: z
      .exactOptional(z.string().min(1).max(256))
      .describe('Name of the function on the server; by default the name of the tool.'),
    title: z.exactOptional(z.string().max(256)).describe('Display name.'),
    description: z.string().max(8192).default('MCP remote function').describe('When to use it, for the model.'),
    category: z.string().max(64).default('mcp').describe('Category of the tool.'),
    headers: headerFields,
    parameters: z
      .array(z.strictObject(parameterShape))
      .max(200)
      .default([])
      .describe('Parameters; without any, one optional object `args` is passed through.'),
    ...effectsShape,
    ...callShape,
  })
  .superRefine((tool, context) => checkParameters(tool.parameters as readonly Declared[], context, ['parameters'])); // by the schema, the optional key is absent or set, never undefined

/** HTTP functions by tool name. */
export const mcpTools = z
  .record(identifier, mcpTool)
  .default({})
  .describe('HTTP functions by tool name: `POST url` with `{"function": …, "args": …}`.');

/** The section `mcp_tools`. */
export type FunctionTools = DeepReadonly<z.output<typeof mcpTools>>;
