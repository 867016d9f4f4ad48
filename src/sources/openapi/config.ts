import { z } from 'zod';
import type { DeepReadonly } from '../../lib/deep-readonly.js';
import { stringList, identifier, secretField } from '../../lib/config-fields.js';

/** An http(s) URL without user information, which logs would show. */
const serverUrl = z
  .string()
  .max(2_000)
  .refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#@]+([/?#]|$)/.test(text), {
    message: 'must be an http or https URL without a user name',
  });

/** Selects operations by several properties. */
const selector = z.strictObject({
  tags: stringList([]).describe('By tag.'),
  paths: stringList([]).describe('By path; `*` matches anything.'),
  methods: stringList([]).describe('By method.'),
  operation_ids: stringList([]).describe('By operationId; `*` matches anything.'),
});

/** Some services need a credential everywhere although the document does not state it. */
const always = z
  .boolean()
  .default(false)
  .describe('Send it with every operation, not only with those that require it.');

/** A credential for one security scheme of the document. */
const credential = z.union([
  z.strictObject({
    external: z
      .literal(true)
      .describe('Another component, such as a proxy, authenticates (digest, mutual TLS); nothing is sent.'),
    always,
  }),
  z.strictObject({ token: secretField.describe('A bearer token, as `${NAME}`.'), always }),
  z.strictObject({
    api_key: secretField.describe('A key, as `${NAME}`.'),
    in: z
      .exactOptional(z.enum(['header', 'query', 'cookie']))
      .describe('Location of the key; by default as in the document.'),
    name: z
      .exactOptional(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be the name of a header, parameter or cookie'),
      )
      .describe('Name of the header, parameter or cookie; by default as in the document.'),
    always,
  }),
  z.strictObject({
    username: z
      .string()
      .min(1)
      .regex(/^[^:]*$/, 'must not contain a colon')
      .describe('A user name.'),
    password: secretField.describe('Its password, as `${NAME}`.'),
    always,
  }),
  z.strictObject({
    client_id: z.string().min(1).describe('An OAuth 2 client.'),
    client_secret: secretField.describe('Its secret, as `${NAME}`.'),
    // A document could name an endpoint of its author, who would get the client secret.
    token_url: serverUrl.describe('The token endpoint; never taken from the document.'),
    scopes: z
      .exactOptional(z.array(z.string().min(1)))
      .describe('Scopes to request, in place of those of each operation.'),
    always,
  }),
]);

/** A source whose tools are the operations of an OpenAPI document. */
export const config = z
  .strictObject({
    kind: z.literal('openapi').describe('The operations of an OpenAPI or Swagger document.'),
    document: z.string().min(1).max(2_000).describe('The document: a path or an http(s) URL.'),
    base_url: z
      .exactOptional(serverUrl)
      .describe(
        'Base URL of requests; overrides the document. Required for `auth`: credentials go to this origin only.',
      ),
    prefix: z.exactOptional(z.literal('none')).describe('`none` omits the prefix `<source>__` of tool names.'),
    overlay: z
      .exactOptional(z.string().min(1))
      .describe('A file of overrides: names, descriptions, effects, arguments.'),
    include: selector.prefault({}).describe('Offer only operations that match every list given.'),
    exclude: selector.prefault({}).describe('Leave out operations that match any list given.'),
    auth: z
      .record(z.string().min(1).max(200), credential)
      .default({})
      .describe('Credentials by the name of a security scheme of the document.'),
    network: identifier.default('public').describe('Network policy for the addresses that may be called.'),
    allowed_hosts: stringList([]).describe('Hosts that may be called; by default those of the URLs in use.'),
    ports: z
      .array(z.int().min(1).max(65_535))
      .default([])
      .describe('Ports that may be called; by default those of the URLs in use.'),
    allow_external_refs: z
      .boolean()
      .default(false)
      .describe('Allow references to other files in the folder of the document.'),
    max_document_bytes: z.int().min(1_024).max(134_217_728).default(33_554_432).describe('Largest document.'),
    max_tool_bytes: z
      .int()
      .min(2_048)
      .max(1_048_576)
      .default(8_192)
      .describe('Largest definition of one tool; longer schemas are abbreviated.'),
    max_list_bytes: z
      .int()
      .min(0)
      .max(16_777_216)
      .default(49_152)
      .describe('Above this size the document is offered through search, describe and call tools.'),
    max_response_bytes: z
      .int()
      .min(1_024)
      .max(104_857_600)
      .default(10_485_760)
      .describe('Largest decoded response, over all pages.'),
    describe: z
      .enum(['auto', 'always'])
      .default('auto')
      .describe('When to offer the tool `describe`: `auto` if a schema was abbreviated, or always.'),
    timeout: z.number().min(0.1).max(600).default(30).describe('Seconds for a call.'),
    retries: z
      .exactOptional(z.int().min(1).max(10))
      .describe('Total attempts, for operations that are safe to repeat; by default `outbound.retries`.'),
    refresh: z.exactOptional(z.number().min(10)).describe('Seconds after which a remote document is fetched again.'),
  })
  .refine((one) => Object.keys(one.auth).length === 0 || one.base_url !== undefined, {
    path: ['auth'],
    message: 'needs base_url: the document must not choose who receives the credentials',
  });

/** A validated entry of this kind. */
export type OpenApiConfig = DeepReadonly<z.output<typeof config>>;
