import { z } from 'zod';
import { name, secret } from './words.js';

const types = ['string', 'integer', 'float', 'boolean', 'array', 'object'] as const;

const fits = {
  string: (value: unknown) => typeof value === 'string',
  integer: (value: unknown) => Number.isSafeInteger(value),
  float: (value: unknown) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
} as const satisfies Record<(typeof types)[number], (value: unknown) => boolean>;

const argumentName = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
    'must be 1 to 64 letters, digits, _, . or -, and begin with a letter or _',
  );

/** What every parameter says of itself, whatever becomes of it. */
export const parameterShape = {
  name: argumentName.describe('Name of the argument.'),
  type: z.enum(types).default('string').describe('Its type.'),
  required: z.boolean().default(false).describe('Whether a caller must give it.'),
  description: z.exactOptional(z.string().max(4096)).describe('What it is for.'),
  enum: z
    .exactOptional(z.array(z.unknown().describe('One value.')).min(1).max(1000))
    .describe('The only values it may have.'),
  default: z.unknown().optional().describe('What is sent when the caller gives nothing.'),
};

interface Declared {
  readonly name: string;
  readonly type: (typeof types)[number];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

/** Finds parameters named twice, and values that do not fit their own type. */
export function checkParameters(
  all: readonly Declared[],
  context: z.RefinementCtx,
  path: readonly PropertyKey[],
): void {
  const say = (where: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: 'custom', path: [...path, ...where], message });
  all.forEach((one, index) => {
    if (all.findIndex((other) => other.name === one.name) < index)
      say([index, 'name'], 'is the name of an earlier parameter');
    one.enum?.forEach((value, at) => {
      if (!fits[one.type](value)) say([index, 'enum', at], `is not of type ${one.type}`);
    });
    if (one.default === undefined) return;
    if (!fits[one.type](one.default)) say([index, 'default'], `is not of type ${one.type}`);
    else if (one.enum && !one.enum.some((value) => JSON.stringify(value) === JSON.stringify(one.default)))
      say([index, 'default'], 'is not one of the values in enum');
  });
}

/** Headers by name; values may refer to variables. */
export const headers = z
  .record(
    z.string().regex(/^(?!__proto__$)[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be a header name'),
    secret.describe('Its value.'),
  )
  .default({})
  .superRefine((given, context) => {
    for (const one of Object.keys(given)) {
      // Whoever sets these decides how many requests the bytes on the wire are, or whom they are for.
      if (
        /^(host|connection|keep-alive|transfer-encoding|content-length|te|trailer|upgrade|expect|proxy-.*)$/i.test(one)
      )
        context.addIssue({ code: 'custom', path: [one], message: 'is set by the gate itself' });
    }
  })
  .describe('Headers sent with every call; values may hold `${NAME}`.');

/** What one caller over HTTP may do where it differs from `outbound`. */
export const callShape = {
  timeout: z
    .exactOptional(z.number().min(0.1).max(600))
    .describe('Seconds one attempt may take; `outbound.timeout` when absent.'),
  retries: z
    .exactOptional(z.int().min(1).max(10))
    .describe('Attempts in all, for calls that may be repeated; `outbound.retries` when absent.'),
  max_response_bytes: z
    .exactOptional(z.int().min(1024).max(1_073_741_824))
    .describe('Largest decoded answer; `outbound.max_response_bytes` when absent.'),
  circuit_breaker: z
    .exactOptional(
      z.strictObject({
        failure_threshold: z
          .exactOptional(z.int().min(1).max(100))
          .describe('Failures in a row that open the breaker of this address.'),
        recovery_timeout: z.exactOptional(z.number().min(1).max(600)).describe('Seconds it rests before one probe.'),
      }),
    )
    .describe(
      'As `outbound.circuit_breaker`, for this address; where several tools share an address, the strictest counts.',
    ),
};

/** What a tool says about its effects, for hints and for retries. */
export const effectsShape = {
  read_only: z.exactOptional(z.boolean()).describe('Whether a call changes nothing.'),
  destructive: z.exactOptional(z.boolean()).describe('Whether a call may delete or overwrite.'),
  idempotent: z
    .exactOptional(z.boolean())
    .describe('Whether repeating a call changes nothing more; only such calls are retried.'),
  idempotency_key: z
    .boolean()
    .default(false)
    .describe('Send an `Idempotency-Key` of the call, which lets any call be retried.'),
  labels: z
    .array(z.string().regex(/^[a-z0-9:_-]{1,64}$/, 'must be 1 to 64 of a-z, 0-9, :, _ or -'))
    .default([])
    .describe('Labels for policies, such as `reads:private`.'),
};

const mcpTool = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('Address of the function server; its host must be in `outbound.allowed_domains`.'),
    func_name: z
      .exactOptional(z.string().min(1).max(256))
      .describe('Name of the function there; the name of the tool when absent.'),
    title: z.exactOptional(z.string().max(256)).describe('Its name for people.'),
    description: z.string().max(8192).default('MCP remote function').describe('When to use it, for the model.'),
    category: z.string().max(64).default('mcp').describe('What it belongs to.'),
    headers,
    parameters: z
      .array(z.strictObject(parameterShape))
      .max(200)
      .default([])
      .describe('What it takes; none means one optional object `args`, passed through.'),
    ...effectsShape,
    ...callShape,
  })
  .superRefine((one, context) => checkParameters(one.parameters as readonly Declared[], context, ['parameters'])); // the optional key is absent or set, never undefined, by the schema

/** HTTP functions by tool name. */
export const mcpTools = z
  .record(name, mcpTool)
  .default({})
  .describe('HTTP functions by tool name: `POST url` with `{"function": …, "args": …}`.');
