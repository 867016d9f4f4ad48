import { expect, test } from 'vitest';
import { sha256 } from '../../lib/hash.js';
import type { CredentialOptions } from './credentials.js';
import { credentials } from './credentials.js';
import { protectedResource } from './protected-resource.js';

const ownerToken = `tg_${'o'.repeat(43)}`;
const gate = (over: Partial<CredentialOptions> = {}) =>
  credentials({
    ownerToken,
    tokens: [{ name: 'backup', sha256: sha256('backup-token'), roles: ['user'], profile: 'reading' }],
    keys: {
      find: (key) => (key === 'tgk_ci' ? { id: 'key:ci', name: 'ci', kind: 'token', roles: ['user'] } : undefined),
      findByHash: () => undefined,
      problem: () => undefined,
      list: () => [],
      create: () => undefined,
      revoke: () => false,
    },
    challenge: protectedResource({ issuers: [], scopes: [] }).challenge,
    anonymous: false,
    ...over,
  });

test.each([
  [`Bearer ${ownerToken}`, 'owner', ['admin']],
  ['bearer backup-token', 'token:backup', ['user']],
  ['Bearer tgk_ci', 'key:ci', ['user']],
])('%s is %s', async (header, id, roles) => {
  expect(await gate().authenticate(header)).toMatchObject({ principal: { id, roles } });
});

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  `Basic ${ownerToken}`,
  `Bearer ${ownerToken}x`,
  `Bearer ${ownerToken} x`,
  `Bearer x, Bearer ${ownerToken}`,
  `Bearer ${sha256(ownerToken)}`,
  `Bearer ${sha256('backup-token')}`,
  ownerToken,
])('%j authenticates no caller', async (header) => {
  expect(await gate().authenticate(header)).toMatchObject({
    refused: expect.stringMatching(/missing|invalid/),
    challenge: expect.stringContaining('Bearer realm="toolgate"'),
  });
});

test('identity comes from the credential alone: a name cannot impersonate another principal [GHSA-wf8q-wvv8-p8jf]', async () => {
  const both = gate({
    tokens: [
      { name: 'owner', sha256: sha256('mine'), roles: ['user'] },
      { name: 'ci', sha256: sha256('other'), roles: ['user'] },
    ],
  });
  expect(await both.authenticate('Bearer mine')).toMatchObject({ principal: { id: 'token:owner', roles: ['user'] } });
  expect(await both.authenticate('Bearer other')).toMatchObject({ principal: { id: 'token:ci' } });
});

test('without a required token a silent caller is anonymous, and a wrong one is still refused', async () => {
  const open = gate({ anonymous: true });
  expect(await open.authenticate(undefined)).toMatchObject({ principal: { id: 'anonymous', roles: ['user'] } });
  expect(await open.authenticate('Bearer wrong')).toMatchObject({ refused: 'invalid' });
  expect(await open.authenticate('Basic eDp5')).toMatchObject({ refused: 'missing' });
});
