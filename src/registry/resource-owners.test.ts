import { expect, test } from 'vitest';
import { done } from '../core/outcome.js';
import type { Resource, ResourceTemplate, ToolProjection } from '../core/prompt.js';
import type { ToolSource } from '../core/source.js';
import { templateMatcher } from '../sources/mcp/catalog/uri-template.js';
import { aTool, never } from '../../test/support/make.js';
import { registry } from './registry.js';
import { findResource } from './resource-owners.js';

const read = () => Promise.resolve(done(''));
const projection: ToolProjection = { tool: 'city', toArgs: () => ({}), toContents: () => ({}) };
const aResource = (source: string, uri: string): Resource => ({ uri, name: uri, source, read });
const aTemplate = (source: string, uriTemplate: string): ResourceTemplate => ({
  uriTemplate,
  name: uriTemplate,
  source,
  matches: templateMatcher(uriTemplate),
  read,
});

/** A source that lists these addresses; those with a variable are templates. */
const listing = (id: string, addresses: readonly string[], more: Partial<ToolSource> = {}): ToolSource => ({
  id,
  list: () => Promise.resolve([]),
  resources: () => Promise.resolve(addresses.filter((each) => !each.includes('{')).map((uri) => aResource(id, uri))),
  templates: () => Promise.resolve(addresses.filter((each) => each.includes('{')).map((uri) => aTemplate(id, uri))),
  ...more,
});

async function offered(...sources: readonly ToolSource[]) {
  const known = registry({ sources, filter: { include: [], exclude: [] } });
  await known.refresh(never);
  return {
    owner: (uri: string) => findResource(known.catalogue(), uri)?.source,
    withheld: known.withheld().map(({ source, what }) => `${source}: ${what}`),
    reasons: known.withheld().map(({ why }) => why),
  };
}

test.each([
  'toolgate://results/{+a}',
  'toolgate://rest/{+a}',
  'TOOLGATE://results/{+a}',
  'toolgate:{+a}',
  'toolgate://hostile/{+a}',
  'toolgate://results/00000000-0000-0000-0000-000000000000',
  'Toolgate://anything',
])('an upstream server cannot offer %s, which is an address of the gateway', async (address) => {
  const results = listing('toolgate:results', ['toolgate://results/{result}']);
  const { withheld, reasons, owner } = await offered(listing('hostile', [address]), results);
  expect(withheld).toEqual([`hostile: ${address.includes('{') ? 'template' : 'resource'} ${address}`]);
  expect(reasons).toEqual(['addresses under toolgate: are reserved for the gateway']);
  expect(owner('toolgate://results/12')).toBe('toolgate:results');
  expect(owner('toolgate://rest/12')).toBeUndefined();
});

test('another spelling of the scheme or host of an address has the same owner', async () => {
  const { withheld } = await offered(
    listing('victim', ['notes://{id}', 'doc:plain', 'doc://Inbox/1', 'doc://inbox/1']),
    listing('hostile', ['NOTES://list', 'Doc:plain', 'DOC://INBOX/1', 'doc:Plain', 'doc://inbox/I']),
  );
  expect(withheld).toEqual([
    'hostile: resource NOTES://list',
    'hostile: resource Doc:plain',
    'hostile: resource DOC://INBOX/1',
  ]);
});

test('a template that could begin with any scheme is withheld', async () => {
  const { withheld, owner } = await offered(listing('hostile', ['{+uri}', 'tool{+rest}', 'note{s}://x']));
  expect(withheld).toHaveLength(3);
  expect(owner('toolgate://results/12')).toBeUndefined();
});

test.each([
  ['notes://{id}', 'notes://{+id}', 'notes://42'],
  ['notes://{id}', 'notes://4{id}', 'notes://42'],
  ['notes://team/{id}', 'notes://{+path}', 'notes://team/42'],
  ['notes://{id}', 'Notes://{+id}', 'notes://42'],
  ['notes://{id}/text', 'notes://{id}/{+part}', 'notes://42/text'],
])('of %s and the overlapping %s of another source, the later one is withheld', async (first, later, uri) => {
  const { withheld, reasons, owner } = await offered(listing('victim', [first]), listing('hostile', [later]));
  expect(withheld).toEqual([`hostile: template ${later}`]);
  expect(reasons).toEqual([`it overlaps the template ${first} of source victim`]);
  expect(owner(uri)).toBe('victim');
});

test('overlapping templates of one source, and disjoint ones of two, are offered', async () => {
  const { withheld } = await offered(
    listing('one', ['notes://{id}', 'notes://{+path}', 'file:///one/{+path}']),
    listing('two', ['mail://{id}', 'file:///two/{+path}']),
  );
  expect(withheld).toEqual([]);
});

test('an address listed by one source is not answered by the template of another, in either order', async () => {
  const listed = await offered(listing('victim', ['notes://42']), listing('hostile', ['notes://{+id}']));
  expect([listed.owner('notes://42'), listed.owner('notes://43'), listed.withheld]).toEqual(['victim', 'hostile', []]);
  const template = await offered(listing('victim', ['notes://{id}']), listing('hostile', ['notes://42']));
  expect([template.owner('notes://42'), template.withheld]).toEqual(['victim', ['hostile: resource notes://42']]);
  expect(template.reasons).toEqual(['it is an address of the template notes://{id} of source victim']);
});

test('a resource that is a form of a tool is offered below the name of its source, as long as the tool is', async () => {
  const source = (id: string, uri: string, tools = [aTool({ name: 'city', source: id })]): ToolSource =>
    listing(id, [], {
      list: () => Promise.resolve(tools),
      resources: () => Promise.resolve([{ ...aResource(id, uri), read: projection }]),
    });
  expect((await offered(source('atlas', 'toolgate://atlas/city'))).owner('toolgate://atlas/city')).toBe('atlas');
  expect((await offered(source('atlas', 'toolgate://other/city'))).withheld).toHaveLength(1);
  expect((await offered(source('atlas', 'toolgate://atlas/city', []))).owner('toolgate://atlas/city')).toBeUndefined();
});
