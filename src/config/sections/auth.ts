import { z } from 'zod';
import { defaults } from '../defaults.js';
import { identifier, secretField } from '../../lib/config-fields.js';

/** A caller with its token. */
const token = z
  .strictObject({
    name: identifier.describe('Name of the caller in logs and audit.'),
    token: z.exactOptional(secretField).describe('The bearer token, as `${NAME}`.'),
    sha256: z
      .exactOptional(z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'))
      .describe('Or the SHA-256 of the token, so that the file contains no secret.'),
    roles: z.array(identifier).default(['user']).describe('Roles; `admin` may enable, disable and reset.'),
    profile: z.exactOptional(identifier).describe('The only profile this caller may use.'),
  })
  // Both would leave open which one is checked; none would accept no caller at all.
  .refine((one) => (one.token === undefined) !== (one.sha256 === undefined), {
    message: 'needs exactly one of token and sha256',
  });

/** An http or https URL. */
const httpUrl = z
  .string()
  .max(2_000)
  // `URL` alone accepts `http:host` without slashes, so the shape is checked too.
  .refine((text) => URL.canParse(text) && /^https?:\/\/[^/?#]/.test(text), {
    message: 'must be an http or https URL',
  });

/** Client of the console at an issuer. */
const consoleClient = z.strictObject({
  client_id: z.string().min(1).max(500).describe('Id of the client that is registered at the issuer for the console.'),
  client_secret: z.exactOptional(secretField).describe('Its secret, as `${NAME}`; without one it is a public client.'),
  scopes: z.array(z.string().min(1)).default(['openid']).describe('Scopes of the login; `openid` is required.'),
  token_url: z
    .exactOptional(httpUrl)
    .describe('Token endpoint, if it is on another host than the issuer; by default found through its metadata.'),
});

/** An authorization server whose tokens are accepted. */
const issuer = z.strictObject({
  name: identifier.describe('Name of the issuer in principal ids: `jwt:<name>:<subject>`.'),
  issuer: httpUrl.describe('The exact `iss` of its tokens. Plain http is accepted on loopback only.'),
  jwks_url: z.exactOptional(httpUrl).describe('URL of its keys; by default found through its metadata.'),
  audience: z.array(z.string().min(1)).default([]).describe('Accepted `aud` values; `auth.resource` when empty.'),
  algorithms: z
    // Asymmetric algorithms only: with HMAC the public key could be used to forge tokens (algorithm confusion).
    .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']))
    .min(1)
    .default(['RS256', 'ES256', 'EdDSA', 'PS256'])
    .describe('Accepted signature algorithms; unsigned tokens are never accepted.'),
  // The character set of RFC 6749: a space would turn one scope into two.
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope'))
    .default([])
    .describe('Scopes a token must have.'),
  roles_claim: z.exactOptional(z.string().min(1)).describe('The claim that lists groups or roles.'),
  roles: z
    .record(z.string().min(1), identifier)
    .default({})
    .describe('Role by value of that claim; unlisted values give no role.'),
  default_roles: z.array(identifier).default(['user']).describe('Roles of every caller of this issuer.'),
  profile: z.exactOptional(identifier).describe('The only profile its callers may use.'),
  network: identifier.default('public').describe('Network policy for fetching its keys.'),
  console: z
    .exactOptional(consoleClient)
    .describe(
      'Lets people log in to the console at this issuer (OpenID Connect, authorization code with PKCE). The redirect URI is `/console/callback` of this gateway.',
    ),
});

/** Who may call. */
export const auth = z
  .strictObject({
    required: z
      .boolean()
      .default(defaults.auth.required)
      .describe('Whether HTTP callers must send a token. `false` is accepted on loopback only.'),
    token_file: z
      .exactOptional(z.string().min(1))
      .describe('File of the generated token; by default `token` in the state directory.'),
    resource: z
      .exactOptional(httpUrl)
      .describe("Public URL of this gateway's MCP endpoint; tokens of `issuers` must be issued for it."),
    issuers: z
      .array(issuer)
      .max(16)
      .prefault([])
      .describe('Authorization servers whose JWT access tokens are accepted (OAuth 2.1).'),
    tokens: z.array(token).prefault([]).describe('Callers with their own tokens, in addition to the generated one.'),
  })
  .prefault({})
  .describe('Who may call.');
