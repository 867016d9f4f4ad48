import { z } from 'zod';
import { defaults } from '../defaults.js';
import { name, secret } from './words.js';

const token = z
  .strictObject({
    name: name.describe('Who this is, in logs and audit.'),
    token: z.exactOptional(secret).describe('The bearer token, as `${NAME}`.'),
    sha256: z
      .exactOptional(z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'))
      .describe('Or the SHA-256 of the token, so that the file holds no secret.'),
    roles: z.array(name).default(['user']).describe('Roles; `admin` may enable, disable and reset.'),
    profile: z.exactOptional(name).describe('The only profile this caller may use.'),
  })
  .refine((one) => (one.token === undefined) !== (one.sha256 === undefined), {
    message: 'needs exactly one of token and sha256',
  });

const url = z
  .string()
  .max(2_000)
  .refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#]/.test(text), {
    message: 'must be a http or https address',
  });

const issuer = z.strictObject({
  name: name.describe('How this issuer is called in principal ids: `jwt:<name>:<subject>`.'),
  issuer: url.describe('The `iss` of its tokens, to the letter. Plain http is accepted on loopback only.'),
  jwks_url: z.exactOptional(url).describe('Where its keys are; found through its metadata when absent.'),
  audience: z.array(z.string().min(1)).default([]).describe('Accepted `aud` values; `auth.resource` when empty.'),
  algorithms: z
    .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']))
    .min(1)
    .default(['RS256', 'ES256', 'EdDSA', 'PS256'])
    .describe('Accepted signatures; there is no way to accept none.'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope'))
    .default([])
    .describe('Scopes a token must have.'),
  roles_claim: z.exactOptional(z.string().min(1)).describe('The claim that lists groups or roles.'),
  roles: z
    .record(z.string().min(1), name)
    .default({})
    .describe('Role by value of that claim; values not listed give nothing.'),
  default_roles: z.array(name).default(['user']).describe('Roles of every caller of this issuer.'),
  profile: z.exactOptional(name).describe('The only profile its callers may use.'),
  network: name.default('public').describe('Network policy for fetching its keys.'),
});

/** Who may call. */
export const auth = z
  .strictObject({
    required: z
      .boolean()
      .default(defaults.auth.required)
      .describe('Whether HTTP callers must show a token. `false` is accepted on loopback only.'),
    token_file: z
      .exactOptional(z.string().min(1))
      .describe('Where the generated token is kept; `token` in the state directory when absent.'),
    resource: z
      .exactOptional(url)
      .describe(
        "The address of this gateway's MCP endpoint as clients know it; tokens of `issuers` must be made for it.",
      ),
    issuers: z
      .array(issuer)
      .max(16)
      .prefault([])
      .describe('Authorization servers whose JWT access tokens are accepted (OAuth 2.1).'),
    tokens: z.array(token).prefault([]).describe('Callers with tokens of their own, besides the generated one.'),
  })
  .prefault({})
  .describe('Who may call.');
