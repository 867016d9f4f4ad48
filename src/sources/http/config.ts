import { z } from 'zod';
import type { DeepReadonly } from '../../lib/deep-readonly.js';
import { callShape, checkParameters, effectsShape, headerFields, parameterShape } from './functions-config.js';
import { identifier, secretField } from '../../lib/config-fields.js';

/** An absolute path without query, fragment, backslash or white space, which URL parsers read differently. */
const plainPath = /^\/[^?#\\\s]*$/;

/** A parameter of an endpoint, with its place in the request. */
const parameter = z.strictObject({
  ...parameterShape,
  in: z
    .exactOptional(z.enum(['query', 'header', 'body']))
    .describe('Location if the path does not contain it; by default query for GET, HEAD and DELETE, else body.'),
  as: z.exactOptional(z.string().min(1).max(128)).describe('Its name on the wire, if different.'),
});

/** One endpoint, offered as a tool. */
const endpoint = z
  .strictObject({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('The HTTP method.'),
    path: z
      .string()
      .max(2048)
      .regex(plainPath, 'must begin with / and contain no query')
      .describe('Path below `base_url`; `{name}` is replaced by an argument, which stays one segment.'),
    title: z.exactOptional(z.string().max(256)).describe('Display name.'),
    description: z.string().max(8192).min(1).describe('When to use it, for the model.'),
    parameters: z.array(parameter).max(200).default([]).describe('Parameters.'),
    query: z
      .record(z.string().min(1).max(128), secretField.describe('Its value.'))
      .default({})
      .describe('Fixed query values; may contain `${NAME}`.'),
    headers: headerFields,
    body: z
      .unknown()
      .optional()
      .describe('Template of the body; a string that is exactly `{name}` is replaced by an argument of any type.'),
    body_type: z.enum(['json', 'form', 'text']).default('json').describe('Encoding of the body.'),
    select: z
      .exactOptional(
        z
          .string()
          .max(512)
          .regex(/^(?:\/(?:[^~]|~[01])*)?$/, 'must be a JSON pointer such as /data/items'),
      )
      .describe('JSON pointer to the part of the response that becomes the output.'),
    resource: z.boolean().default(false).describe('Also offer a GET as a resource.'),
    ...effectsShape,
    ...callShape,
  })
  .superRefine((one, context) => {
    const known = new Set(one.parameters.map((each) => each.name));
    // By the schema, the optional keys are absent or set, never undefined.
    checkParameters(one.parameters as Parameters<typeof checkParameters>[0], context, ['parameters']);
    // A placeholder without a parameter would be sent literally.
    for (const [, used = ''] of one.path.matchAll(/\{([^{}]*)\}/g))
      if (!known.has(used))
        context.addIssue({
          code: 'custom',
          path: ['path'],
          message: `uses {${used}}, which is not among the parameters`,
        });
    if (/[{}]/.test(one.path.replaceAll(/\{[^{}]*\}/g, '')))
      context.addIssue({ code: 'custom', path: ['path'], message: 'contains a brace that is not part of {name}' });
    // Placeholders become a letter, so that the rest of the path can be checked as it will be sent.
    const still = one.path.replaceAll(/\{[^{}]*\}/g, 'x');
    // Reject a path that the URL parser would normalise (path traversal) here, instead of at every call.
    if (plainPath.test(still) && (!URL.canParse(`http://x${still}`) || new URL(`http://x${still}`).pathname !== still))
      context.addIssue({
        code: 'custom',
        path: ['path'],
        message: 'must be in its final form: no . or .. segments, special characters percent-encoded',
      });
    // A resource is read without confirmation, so only safe methods qualify.
    if (one.resource && one.method !== 'GET')
      context.addIssue({ code: 'custom', path: ['resource'], message: 'needs the method GET' });
    if (one.body !== undefined && (one.method === 'GET' || one.method === 'HEAD'))
      context.addIssue({ code: 'custom', path: ['body'], message: `cannot be sent with ${one.method}` });
  });

/** Effects that hold for every tool of the source, listed or discovered. */
const sourceEffectsShape = {
  read_only: effectsShape.read_only.describe('Whether a call changes nothing, for tools that do not state it.'),
  destructive: effectsShape.destructive.describe(
    'Whether a call may delete or overwrite, for tools that do not state it.',
  ),
  idempotent: effectsShape.idempotent.describe(
    'Whether repeating a call has no further effect, for tools that do not state it; only such calls are retried.',
  ),
  idempotency_key: effectsShape.idempotency_key.describe(
    'Send an `Idempotency-Key` per call of every tool, which makes any call safe to retry.',
  ),
  labels: effectsShape.labels.describe('Labels of every tool for policies, such as `reads:private`.'),
};

/** A web API described by hand, or a function server that lists its functions. */
export const config = z.strictObject({
  kind: z.literal('http').describe('A web API described by hand, or a function server.'),
  base_url: z.string().min(1).max(2048).describe('Base URL of all paths; its host must be in the allowed domains.'),
  allowed_domains: z
    .exactOptional(z.array(z.string().min(1)))
    .describe('Hosts this source may call, in place of `outbound.allowed_domains`.'),
  prefix: z
    .enum(['source', 'none'])
    .default('source')
    .describe('`source` names tools `<id>__<tool>`, `none` leaves names unchanged.'),
  headers: headerFields,
  tools: z.record(identifier, endpoint).default({}).describe('Its tools by name.'),
  discover: z
    .exactOptional(z.literal('list_functions'))
    .describe('List the functions of the function server at `base_url` and offer each as a tool.'),
  resource_interval: z
    .number()
    .min(0.2)
    .max(86_400)
    .default(60)
    .describe('Seconds after which a subscribed resource is read again to find changes.'),
  ...sourceEffectsShape,
  ...callShape,
});

/** A validated entry of this kind. */
export type HttpConfig = DeepReadonly<z.output<typeof config>>;
