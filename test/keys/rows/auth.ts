import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWTPayload } from 'jose';
import { lab } from '../lab.js';
import { code, offers, status } from '../observers.js';
import { rowsOver } from '../row.js';
import type { Row } from '../row.js';
import { env } from '../subject.js';
import type { Subject } from '../subject.js';

const a = env.LAB_A;
const tokenFile = join(lab.folder, 'token');
writeFileSync(tokenFile, `${a}\n`, { mode: 0o600 });
const resource = 'https://gate.example/mcp';
const tokens = rowsOver({
  auth: { tokens: [{ name: 'bob', token: '${LAB_A}' }] },
  access: { profiles: { some: { tools: ['say'] } } },
});
const issuer = {
  name: 'corp',
  issuer: lab.url,
  jwks_url: `${lab.url}/jwks`,
  audience: ['me'],
  network: 'loopback',
};
const issuers = rowsOver({
  auth: { resource, issuers: [issuer] },
  access: { profiles: { some: { tools: ['say'] } } },
});
/** What a caller with a token of the lab's issuer gets. */
const asCaller =
  (observe: (token: string) => (subject: Subject) => Promise<unknown>, claims: JWTPayload = {}, alg = 'RS256') =>
  async (subject: Subject): Promise<unknown> =>
    observe(await lab.token({ aud: 'me', ...claims }, alg))(subject);
const listed = (token: string) => status('/tools', { token });
const isAdmin = (token: string) => status('/config', { token });
const idOf = (token: string) => async (subject: Subject) => (await subject.send('/me', { token })).json.id;

export const authRows: readonly Row[] = [
  rowsOver({})('auth.required', [true, false], status('/tools', { token: null }), [401, 200]),
  rowsOver({})('auth.token_file', [undefined, tokenFile], status('/tools', { token: a }), [401, 200]),
  rowsOver({ auth: { issuers: [issuer] } })(
    'auth.resource',
    [resource, 'https://other.example/mcp'],
    async (subject) => (await subject.send('/.well-known/oauth-protected-resource', { token: null })).json.resource,
    [resource, 'https://other.example/mcp'],
  ),
  issuers('auth.issuers.[].name', ['corp', 'firm'], asCaller(idOf, { sub: 's' }), ['jwt:corp:s', 'jwt:firm:s']),
  issuers('auth.issuers.[].issuer', [lab.url, `${lab.url}/other`], asCaller(listed), [200, 401]),
  issuers('auth.issuers.[].jwks_url', [`${lab.url}/jwks`, `${lab.url}/no-keys`], asCaller(listed), [200, 401]),
  issuers('auth.issuers.[].audience', [['me'], ['you']], asCaller(listed), [200, 401]),
  issuers('auth.issuers.[].algorithms', [['RS256'], ['ES256']], asCaller(listed), [200, 401]),
  issuers('auth.issuers.[].scopes', [[], ['mcp']], asCaller(listed), [200, 403]),
  issuers('auth.issuers.[].roles_claim', [undefined, 'groups'], asCaller(isAdmin, { groups: ['ops'] }), [403, 200], {
    auth: { issuers: [{ ...issuer, roles: { ops: 'admin' } }] },
  }),
  issuers('auth.issuers.[].roles', [{}, { ops: 'admin' }], asCaller(isAdmin, { groups: ['ops'] }), [403, 200], {
    auth: { issuers: [{ ...issuer, roles_claim: 'groups' }] },
  }),
  issuers('auth.issuers.[].default_roles', [['user'], ['admin']], asCaller(isAdmin), [403, 200]),
  issuers(
    'auth.issuers.[].profile',
    [undefined, 'some'],
    asCaller((token) => offers('read', { token })),
    [true, false],
  ),
  issuers('auth.issuers.[].network', ['loopback', 'rfc1918'], asCaller(listed), [200, 401]),
  tokens('auth.tokens.[].name', ['bob', 'eve'], idOf(a), ['token:bob', 'token:eve']),
  tokens('auth.tokens.[].token', ['${LAB_A}', '${LAB_B}'], status('/tools', { token: a }), [200, 401]),
  {
    ...tokens('auth.tokens.[].sha256', [sha256(a), sha256(env.LAB_B)], status('/tools', { token: a }), [200, 401]),
    base: { auth: { tokens: [{ name: 'bob' }] } },
  },
  tokens('auth.tokens.[].roles', [['user'], ['admin']], status('/config', { token: a }), [403, 200]),
  tokens('auth.tokens.[].profile', [undefined, 'some'], code('read', {}, { token: a }), ['ok', 'not_found']),
];

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
