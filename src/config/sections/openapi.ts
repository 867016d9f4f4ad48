import { z } from 'zod';
import { list, name, secret } from './words.js';

const url = z
  .string()
  .max(2_000)
  .refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#@]+([/?#]|$)/.test(text), {
    message: 'must be a http or https address without a user name',
  });

const selector = z.strictObject({
  tags: list([]).describe('By tag.'),
  paths: list([]).describe('By path; `*` stands for anything.'),
  methods: list([]).describe('By method.'),
  operation_ids: list([]).describe('By operationId; `*` stands for anything.'),
});

const always = z
  .boolean()
  .default(false)
  .describe('Send it with every operation, not only with those that ask for it.');

const credential = z.union([
  z.strictObject({ token: secret.describe('A bearer token, as `${NAME}`.'), always }),
  z.strictObject({
    api_key: secret.describe('A key, as `${NAME}`.'),
    in: z
      .exactOptional(z.enum(['header', 'query', 'cookie']))
      .describe('Where it goes; as the document says when absent.'),
    name: z
      .exactOptional(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be the name of a header, parameter or cookie'),
      )
      .describe('Under which name; as the document says when absent.'),
    always,
  }),
  z.strictObject({
    username: z
      .string()
      .min(1)
      .regex(/^[^:]*$/, 'must not hold a colon')
      .describe('A user name.'),
    password: secret.describe('Its password, as `${NAME}`.'),
    always,
  }),
  z.strictObject({
    client_id: z.string().min(1).describe('An OAuth 2 client.'),
    client_secret: secret.describe('Its secret, as `${NAME}`.'),
    token_url: url.describe('The token endpoint; never taken from the document.'),
    scopes: z
      .exactOptional(z.array(z.string().min(1)))
      .describe('Scopes to ask for, in place of those each operation names.'),
    always,
  }),
]);

/** A source whose tools are the operations of an OpenAPI document. */
export const openapi = z
  .strictObject({
    kind: z.literal('openapi').describe('The operations of an OpenAPI or Swagger document.'),
    document: z.string().min(1).max(2_000).describe('The document: a path, or an http(s) address.'),
    base_url: z
      .exactOptional(url)
      .describe(
        'Where requests go, whatever the document says. Needed for `auth`: credentials go to this origin only.',
      ),
    prefix: z.exactOptional(z.literal('none')).describe('`none` names tools without `<source>__`.'),
    overlay: z
      .exactOptional(z.string().min(1))
      .describe('A file of overrides: names, descriptions, effects, arguments.'),
    include: selector.prefault({}).describe('Offer only operations that fit every list given.'),
    exclude: selector.prefault({}).describe('Leave out operations that fit any list given.'),
    auth: z
      .record(z.string().min(1).max(200), credential)
      .default({})
      .describe('Credentials by the name of a security scheme of the document.'),
    network: name.default('public').describe('Network policy of the addresses that may be reached.'),
    allowed_hosts: list([]).describe('Hosts that may be called; those of the addresses in use when empty.'),
    ports: z
      .array(z.int().min(1).max(65_535))
      .default([])
      .describe('Ports that may be called; those of the addresses in use when empty.'),
    allow_external_refs: z
      .boolean()
      .default(false)
      .describe('Read files in the folder of the document that it refers to.'),
    max_document_bytes: z.int().min(1_024).max(134_217_728).default(33_554_432).describe('Largest document.'),
    max_tool_bytes: z
      .int()
      .min(2_048)
      .max(1_048_576)
      .default(8_192)
      .describe('Largest definition of one tool; longer schemas are shown shortened.'),
    max_list_bytes: z
      .int()
      .min(0)
      .max(16_777_216)
      .default(49_152)
      .describe('Above this the document is offered by search, describe and call.'),
    max_response_bytes: z
      .int()
      .min(1_024)
      .max(104_857_600)
      .default(10_485_760)
      .describe('Largest decoded answer, pages together.'),
    timeout: z.number().min(0.1).max(600).default(30).describe('Seconds for a call.'),
    refresh: z
      .exactOptional(z.number().min(10))
      .describe('Seconds after which a document behind an address is fetched again.'),
  })
  .refine((one) => Object.keys(one.auth).length === 0 || one.base_url !== undefined, {
    path: ['auth'],
    message: 'needs base_url: a document must not decide who gets the credentials',
  });
