import { z } from 'zod';
import { defaults } from '../defaults.js';
import { name, secret } from './words.js';

const token = z
  .strictObject({
    name: name.describe('Who this is, in logs and audit.'),
    token: z.exactOptional(secret).describe('The bearer token, as `${NAME}`.'),
    sha256: z.exactOptional(z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')).describe('Or the SHA-256 of the token, so that the file holds no secret.'),
    roles: z.array(name).default(['user']).describe('Roles; `admin` may enable, disable and reset.'),
    profile: z.exactOptional(name).describe('The only profile this caller may use.'),
  })
  .refine((one) => (one.token === undefined) !== (one.sha256 === undefined), { message: 'needs exactly one of token and sha256' });

/** Who may call. */
export const auth = z
  .strictObject({
    required: z.boolean().default(defaults.auth.required).describe('Whether HTTP callers must show a token. `false` is accepted on loopback only.'),
    token_file: z.exactOptional(z.string().min(1)).describe('Where the generated token is kept; `token` in the state directory when absent.'),
    tokens: z.array(token).prefault([]).describe('Callers with tokens of their own, besides the generated one.'),
  })
  .prefault({})
  .describe('Who may call.');
