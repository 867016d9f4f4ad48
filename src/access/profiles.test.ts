import { expect, test } from 'vitest';
import { readOnly } from '../core/tool.js';
import { ada, aTool, bob } from '../../test/support/make.js';
import { labeller } from './flows/labels.js';
import { profiles } from './profiles.js';

const profile = { tools: [], sources: [], labels: [], exclude: [] };
const made = profiles({
  profiles: {
    reading: { ...profile, tools: ['*__get*'], exclude: ['*__get_secret'] },
    github: { ...profile, sources: ['github'] },
    open: { ...profile, labels: ['egress:*'] },
  },
  roles: { analyst: { profiles: ['reading'] } },
  labelsOf: labeller({ derive: true, labels: {} }),
});
const get = aTool({ name: 'crm__get', source: 'crm' });

test('a profile holds tools by name, source and label, and leaves out what it excludes', () => {
  const sees = (name: string, item: Parameters<typeof made.holds>[1]): boolean =>
    made.holds({ principal: ada, profile: name }, item);
  expect(sees('reading', get)).toBe(true);
  expect(sees('reading', aTool({ name: 'crm__get_secret' }))).toBe(false);
  expect(sees('reading', aTool({ name: 'crm__put' }))).toBe(false);
  expect(sees('github', aTool({ name: 'x', source: 'github' }))).toBe(true);
  expect(sees('open', aTool({ effects: { ...readOnly, openWorld: true } }))).toBe(true);
  expect(sees('open', aTool())).toBe(false);
});

test('prompts and resources belong to a profile by their source, never by a name that an untrusted source chose', () => {
  expect(made.holds({ principal: ada, profile: 'github' }, { name: 'x', source: 'github' })).toBe(true);
  expect(made.holds({ principal: ada, profile: 'reading' }, { name: 'evil__get', source: 'evil' })).toBe(false);
});

test('a URL narrows what a credential allows and never widens it [GHSA-454m-4vm6-842f]', () => {
  const bound = { ...bob, profile: 'reading' };
  expect(made.usable({ principal: bound })).toBe(true);
  expect(made.usable({ principal: bound, profile: 'reading' })).toBe(true);
  for (const other of ['github', 'open', 'nothing', '', '*', 'reading,github', '__proto__']) {
    expect(made.usable({ principal: bound, profile: other })).toBe(false);
    expect(made.holds({ principal: bound, profile: other }, aTool({ name: 'a__get', source: 'github' }))).toBe(false);
  }
  const analyst = { ...bob, roles: ['analyst', 'user'] };
  expect(made.holds({ principal: analyst }, get)).toBe(true);
  expect(made.holds({ principal: analyst }, aTool({ name: 'x', source: 'github' }))).toBe(false);
  expect(made.usable({ principal: analyst, profile: 'github' })).toBe(false);
});

test('a principal bound to a profile that is gone sees nothing', () => {
  expect(made.holds({ principal: { ...bob, profile: 'gone' } }, get)).toBe(false);
});

test('views that see the same share a key', () => {
  expect(made.key({ principal: bob })).toBe(made.key({ principal: ada }));
  expect(made.key({ principal: bob, profile: 'github' })).not.toBe(made.key({ principal: bob }));
});
