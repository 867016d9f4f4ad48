import { z } from 'zod';
import { callShape, checkParameters, effectsShape, headers, parameterShape } from './functions.js';
import { name, secret } from './words.js';

const plainPath = /^\/[^?#\\\s]*$/;

const parameter = z.strictObject({
  ...parameterShape,
  in: z
    .exactOptional(z.enum(['query', 'header', 'body']))
    .describe('Where it goes when the path does not name it; query for GET, HEAD and DELETE, else body.'),
  as: z.exactOptional(z.string().min(1).max(128)).describe('Its name on the wire, where that differs.'),
});

const endpoint = z
  .strictObject({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('The HTTP method.'),
    path: z
      .string()
      .max(2048)
      .regex(plainPath, 'must begin with / and hold no query')
      .describe('Path below `base_url`; `{name}` stands for an argument, which stays one segment.'),
    title: z.exactOptional(z.string().max(256)).describe('Its name for people.'),
    description: z.string().max(8192).min(1).describe('When to use it, for the model.'),
    parameters: z.array(parameter).max(200).default([]).describe('What it takes.'),
    query: z
      .record(z.string().min(1).max(128), secret.describe('Its value.'))
      .default({})
      .describe('Fixed query values; they may hold `${NAME}`.'),
    headers,
    body: z
      .unknown()
      .optional()
      .describe('The body as it is sent; a text that is exactly `{name}` stands for an argument of any type.'),
    body_type: z.enum(['json', 'form', 'text']).default('json').describe('How the body is written.'),
    select: z
      .exactOptional(
        z
          .string()
          .max(512)
          .regex(/^(?:\/(?:[^~]|~[01])*)?$/, 'must be a JSON pointer such as /data/items'),
      )
      .describe('JSON pointer to the part of the answer that is the output.'),
    resource: z.boolean().default(false).describe('Offer a GET as a resource as well.'),
    ...effectsShape,
    ...callShape,
  })
  .superRefine((one, context) => {
    const known = new Set(one.parameters.map((each) => each.name));
    // The optional keys are absent or set, never undefined, by the schema.
    checkParameters(one.parameters as Parameters<typeof checkParameters>[0], context, ['parameters']);
    for (const [, used = ''] of one.path.matchAll(/\{([^{}]*)\}/g))
      if (!known.has(used))
        context.addIssue({
          code: 'custom',
          path: ['path'],
          message: `uses {${used}}, which is not among the parameters`,
        });
    if (/[{}]/.test(one.path.replaceAll(/\{[^{}]*\}/g, '')))
      context.addIssue({ code: 'custom', path: ['path'], message: 'holds a brace that is not part of {name}' });
    const still = one.path.replaceAll(/\{[^{}]*\}/g, 'x');
    // A path that the URL parser would rewrite is refused here, once, and not at every call.
    if (plainPath.test(still) && (!URL.canParse(`http://x${still}`) || new URL(`http://x${still}`).pathname !== still))
      context.addIssue({
        code: 'custom',
        path: ['path'],
        message: 'must be written as it is sent: without . or .. segments, other characters percent-encoded',
      });
    if (one.resource && one.method !== 'GET')
      context.addIssue({ code: 'custom', path: ['resource'], message: 'needs the method GET' });
    if (one.body !== undefined && (one.method === 'GET' || one.method === 'HEAD'))
      context.addIssue({ code: 'custom', path: ['body'], message: `cannot be sent with ${one.method}` });
  });

/** A web API described by hand, or a function server that lists its own functions. */
export const httpSource = z.strictObject({
  kind: z.literal('http').describe('A web API described by hand, or a function server.'),
  base_url: z
    .string()
    .min(1)
    .max(2048)
    .describe('Address that every path is below; its host must be in the allowed domains.'),
  allowed_domains: z
    .exactOptional(z.array(z.string().min(1)))
    .describe('Hosts this source may call, in place of `outbound.allowed_domains`.'),
  prefix: z
    .enum(['source', 'none'])
    .default('source')
    .describe('`source` names tools `<id>__<tool>`, `none` as they stand.'),
  headers,
  tools: z.record(name, endpoint).default({}).describe('Its tools by name.'),
  discover: z
    .exactOptional(z.literal('list_functions'))
    .describe('Ask the function server at `base_url` for its functions and offer each as a tool.'),
  ...effectsShape,
  ...callShape,
});
