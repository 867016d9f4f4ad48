import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, lab } from '../lab.js';
import { code, definition, offers } from '../observers.js';
import { rowsOver } from '../row.js';
import type { Row } from '../row.js';
import type { Subject } from '../subject.js';

const operation = (operationId: string, tag: string, more: object = {}): object => ({
  operationId,
  tags: [tag],
  summary: operationId,
  responses: { 200: { description: 'ok' } },
  ...more,
});
const document = (more: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'lab', version: '1' },
  servers: [{ url: lab.url }],
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
      key: { type: 'apiKey', in: 'header', name: 'x-key' },
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: `${lab.url}/oauth/token`, scopes: { read: 'r' } } },
      },
    },
  },
  paths: {
    '/one': { get: operation('one', 'first') },
    '/two': { post: operation('two', 'second') },
    '/big': { get: operation('big', 'first') },
    '/hang': { get: operation('hang', 'first') },
    '/flaky': { get: operation('flaky', 'first') },
    '/secured': {
      get: operation('secured', 'first', {
        security: [{ bearer: [] }, { basic: [] }, { key: [] }, { oauth: ['read'] }],
      }),
    },
    ...more,
  },
});
const write = (name: string, value: unknown): string => {
  const path = join(lab.folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
};
const file = write('api.json', document());
const other = write('other.json', document({ '/three': { get: operation('three', 'first') } }));
const overlay = write('overlay.json', { operations: { one: { description: 'Overlaid' } } });
write('part.json', { part: { get: operation('part', 'first') } });
const referring = write('referring.json', document({ '/part': { $ref: 'part.json#/part' } }));
const long = write(
  'long.json',
  document({
    '/long': {
      get: operation('long', 'first', {
        parameters: Array.from({ length: 60 }, (_, at) => ({
          name: `p${at}`,
          in: 'query',
          description: 'x'.repeat(100),
          schema: { type: 'string' },
        })),
      }),
    },
  }),
);
lab.serve('/document', (_, response) => json(response, document()));

const key = 'sources.*.(openapi)';
const source = (entry: object = {}) =>
  rowsOver({
    rate_limit: { requests: 0 },
    sources: { api: { kind: 'openapi', document: file, base_url: lab.url, network: 'loopback', ...entry } },
  });
const credential = (name: string, value: object) => source({ auth: { [name]: value } });
/** What the lab got from a call. */
const sent =
  (tool: string, part: (seen: (typeof lab.requests)[number]) => unknown) =>
  async (subject: Subject): Promise<unknown> => {
    lab.requests.length = 0;
    await subject.call(tool);
    const last = lab.requests.findLast(({ path }) => !path.startsWith('/oauth'));
    return last === undefined ? 'nothing' : part(last);
  };
const authorization = ({ headers }: { headers: Readonly<Record<string, unknown>> }): unknown =>
  headers['authorization'];
const asked = (field: 'user' | 'password') => async (subject: Subject) => {
  lab.asked.length = 0;
  const seen = await sent('api__secured', authorization)(subject);
  return { seen, asked: lab.asked.at(-1)?.[field] };
};
const client = { client_id: 'me', client_secret: '${LAB_A}', token_url: `${lab.url}/oauth/token` };
const auth = `${key}.auth.*.(object)`;
lab.serve('/oauth/other', (_, response) =>
  json(response, { access_token: 'other', token_type: 'Bearer', expires_in: 60 }),
);

export const openapiRows: readonly Row[] = [
  source()(`${key}.document`, [file, other], offers('api__three'), [false, true]),
  source()(
    `${key}.base_url`,
    [lab.url, `${lab.url}/v2`],
    sent('api__one', ({ path }) => path),
    ['/one', '/v2/one'],
  ),
  source()(`${key}.prefix`, [undefined, 'none'], offers('one'), [false, true]),
  source()(
    `${key}.overlay`,
    [undefined, overlay],
    definition('api__one', ({ description }) => description.includes('Overlaid')),
    [false, true],
  ),
  source({ include: {} })(`${key}.include.tags`, [['first'], ['second']], offers('api__two'), [false, true]),
  source({ include: {} })(`${key}.include.paths`, [['/one'], ['/two']], offers('api__two'), [false, true]),
  source({ include: {} })(`${key}.include.methods`, [['get'], ['post']], offers('api__two'), [false, true]),
  source({ include: {} })(`${key}.include.operation_ids`, [['one'], ['two']], offers('api__two'), [false, true]),
  source({ exclude: {} })(`${key}.exclude.tags`, [[], ['second']], offers('api__two'), [true, false]),
  source({ exclude: {} })(`${key}.exclude.paths`, [[], ['/two']], offers('api__two'), [true, false]),
  source({ exclude: {} })(`${key}.exclude.methods`, [[], ['post']], offers('api__two'), [true, false]),
  source({ exclude: {} })(`${key}.exclude.operation_ids`, [[], ['two']], offers('api__two'), [true, false]),
  credential('bearer', {})(`${auth}.token`, ['one', 'two'], sent('api__secured', authorization), [
    'Bearer one',
    'Bearer two',
  ]),
  credential('bearer', { token: 'one' })(`${auth}.always`, [false, true], sent('api__one', authorization), [
    undefined,
    'Bearer one',
  ]),
  credential('key', {})(
    `${auth}.api_key`,
    ['one', 'two'],
    sent('api__secured', ({ headers }) => headers['x-key']),
    ['one', 'two'],
  ),
  credential('key', { api_key: 'one' })(
    `${auth}.in`,
    ['header', 'query'],
    sent('api__secured', ({ path }) => path),
    ['/secured', '/secured?x-key=one'],
  ),
  credential('key', { api_key: 'one' })(
    `${auth}.name`,
    ['x-key', 'x-other'],
    sent('api__secured', ({ headers }) => headers['x-other']),
    [undefined, 'one'],
  ),
  credential('basic', { password: 'p' })(`${auth}.username`, ['one', 'two'], sent('api__secured', authorization), [
    basic('one', 'p'),
    basic('two', 'p'),
  ]),
  credential('basic', { username: 'u' })(`${auth}.password`, ['one', 'two'], sent('api__secured', authorization), [
    basic('u', 'one'),
    basic('u', 'two'),
  ]),
  credential('oauth', client)(`${auth}.client_id`, ['me', 'you'], asked('user'), [
    { seen: 'Bearer issued-read', asked: 'me' },
    { seen: 'Bearer issued-read', asked: 'you' },
  ]),
  credential('oauth', client)(`${auth}.client_secret`, ['one', 'two'], asked('password'), [
    { seen: 'Bearer issued-read', asked: 'one' },
    { seen: 'Bearer issued-read', asked: 'two' },
  ]),
  credential('oauth', client)(
    `${auth}.token_url`,
    [client.token_url, `${lab.url}/oauth/other`],
    sent('api__secured', authorization),
    ['Bearer issued-read', 'Bearer other'],
  ),
  credential('oauth', client)(`${auth}.scopes`, [['read'], ['write']], sent('api__secured', authorization), [
    'Bearer issued-read',
    'Bearer issued-write',
  ]),
  source()(`${key}.network`, ['loopback', 'rfc1918'], code('api__one'), ['ok', 'policy_denied']),
  source({ base_url: undefined })(`${key}.allowed_hosts`, [['127.0.0.1'], ['other.example']], code('api__one'), [
    'ok',
    'policy_denied',
  ]),
  source()(`${key}.ports`, [[lab.port], [9]], code('api__one'), ['ok', 'policy_denied']),
  source({ document: referring })(`${key}.allow_external_refs`, [false, true], offers('api__part'), [false, true]),
  source({ document: long })(`${key}.max_document_bytes`, [2048, 100_000], offers('api__one'), [false, true]),
  source({ document: long })(
    `${key}.max_tool_bytes`,
    [2048, 100_000],
    definition('api__long', (tool) => JSON.stringify(tool).length > 4000),
    [false, true],
  ),
  source()(
    `${key}.max_list_bytes`,
    [49_152, 500],
    definition('api__one', (tool) => tool !== undefined),
    [true, false],
  ),
  source()(`${key}.describe`, ['auto', 'always'], offers('api__describe'), [false, true]),
  source()(
    `${key}.retries`,
    [1, 3],
    (subject) => {
      lab.failNext('/flaky', 1);
      return code('api__flaky')(subject);
    },
    ['upstream_busy', 'ok'],
  ),
  source()(`${key}.max_response_bytes`, [1024, 100_000], code('api__big'), ['output_limit', 'ok']),
  source()(
    `${key}.timeout`,
    [0.2, 1.5],
    async (subject) => {
      const began = performance.now();
      await subject.call('api__hang');
      return performance.now() - began < 1_000;
    },
    [true, false],
  ),
];

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
