import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { serving, toolgate, type Running } from '../../support/toolgate.js';
import { aFolder } from '../folder.js';
import { stdioClient, type Loose } from '../mcp-client.js';
import { row } from '../row.js';
import { call, change, client, document, gate, last, other, place, tool } from './world.js';

/** How a document becomes tools. */
export const definitions = [
  row(
    'S1.1',
    'A document alone makes tools; nothing need be annotated',
    'Listed the tools of a document without annotations',
    async () => {
      const bare = await toolgate(
        aFolder({
          'api.json': JSON.stringify(document()).replaceAll('x-mcp', 'x-other'),
          'toolgate.yaml':
            'commands: { builtins: false }\nsources: { api: { kind: openapi, document: api.json, network: loopback } }\n',
        }),
        ['tools', '--json'],
      );
      const names = JSON.parse(bare.out).tools.map(({ name }: Loose) => name);
      expect(names).toEqual(expect.arrayContaining(['api__addPet', 'api__getPet', 'api__named', 'api__over']));
      return 'every operation is a tool';
    },
  ),
  row(
    'S1.2',
    'Name, description, schema and metadata can be overridden: overlay before x-mcp before what follows',
    'Listed an operation with none, with x-mcp, and with x-mcp and an overlay; called the last one',
    async () => {
      expect(await tool('getPet')).toMatchObject({ description: 'Finds a pet' });
      expect(await tool('by_document')).toMatchObject({ description: 'By document' });
      expect(await tool('by_operator')).toMatchObject({
        title: 'By document',
        description: 'By operator',
        inputSchema: { properties: { q: { enum: ['one', 'two'] } } },
        _meta: { team: 'shop' },
      });
      for (const name of ['named', 'over', 'by_document_too']) expect(await tool(name)).toBeUndefined();
      expect((await gate.send('/tools/api__by_operator')).json.description).toBe('By operator');
      const described = JSON.parse((await call('describe', { name: 'api__by_operator' })).result.content[0].text);
      expect(described).toMatchObject({ title: 'By document', description: 'By operator' });
      expect((await call('by_operator', { q: 'three' })).result.isError).toBe(true);
      expect((await call('by_operator', { q: 'two' })).result.isError).not.toBe(true);
      expect(last().url).toBe('/over?q=two');
      return 'derived, by the document, and by the operator with the title of the document; the schema of the overlay is enforced';
    },
  ),
  row(
    'S1.11',
    'At start the registry is filled with names, descriptions and schemas',
    'Listed the tools right after the start',
    async () => {
      const { result } = await client('tools/list');
      expect(result.tools.length).toBeGreaterThan(10);
      for (const one of result.tools)
        expect(one).toMatchObject({
          name: expect.stringMatching(/^[\w-]+$/),
          description: expect.stringMatching(/\S/),
          inputSchema: { type: 'object' },
        });
      return 'every tool has a name, a description and an input schema';
    },
  ),
  row(
    'S1.13',
    'Tags, summary and extensions are kept and serve policies',
    'Denied by rules what the document marks with its own extension, with a tag and with a summary',
    async () => {
      const denied = await call('removePet', { petId: 1 });
      expect(JSON.stringify(denied)).toContain('no-danger');
      expect(last()?.method).not.toBe('DELETE');
      const { json } = await gate.send('/tools/api__addPet');
      expect(JSON.stringify(json)).toContain('tag:pets');
      expect((await call('getPet', { petId: 1 })).result.isError).not.toBe(true);
      const facts: Running = await serving(
        aFolder({
          'api.json': JSON.stringify(document()),
          'toolgate.yaml': `commands: { builtins: false }
sources: { api: { kind: openapi, document: api.json, network: loopback } }
policy:
  rules:
    - { id: no-writing, action: deny, when: '"tag:writing" in tool.labels' }
    - { id: no-search, action: deny, when: 'tool.facts["summary"] == "Searches pets"' }
    - { id: the-rest, action: allow }
`,
        }),
      );
      const rule = async (name: string, body: object) =>
        (await facts.send(`/tools/api__${name}/execute`, { body })).json.error_context?.metadata.rule;
      expect(await rule('addPet', { body: { name: 'Mia', kind: 'cat' } })).toBe('no-writing');
      expect(await rule('search_pets', {})).toBe('no-search');
      expect(await rule('getPet', { petId: 1 })).toBeUndefined();
      return 'rules deny by the extension `x-danger`, by a tag and by the summary, and spare the others';
    },
  ),
  row('S1.20', 'operationId becomes the name', 'Read the list', async () => {
    expect(await tool('addPet')).toBeDefined();
    return '`addPet` is `api__addPet`';
  }),
  row(
    'S1.21',
    'summary and description become the description',
    'Read the list, REST, `describe` and the command line, also for texts with hidden characters',
    async () => {
      const { title, description } = await tool('addPet');
      expect({ title, description }).toEqual({ title: 'Adds a pet', description: 'Adds a pet to the shop.' });
      expect((await tool('getPet')).description).toBe('Finds a pet');
      expect(await tool('odd')).toMatchObject({
        title: 'Summary',
        description: expect.stringContaining('Describes it'),
      });
      const places = [
        await tool('odd'),
        (await gate.send('/tools/api__odd')).json,
        (await call('describe', { name: 'api__odd', original: true })).result,
        (await toolgate(place, ['tools', 'api__odd'])).out,
      ];
      for (const shown of places) {
        expect(JSON.stringify(shown)).toContain('Describes');
        expect(JSON.stringify(shown)).not.toMatch(/\u202e|\u200b|\u001b|\\u202e|\\u200b|\\u001b/);
      }
      return 'the description, or the summary alone; the summary is the title; hidden characters and escapes are nowhere shown';
    },
  ),
  row(
    'S1.22',
    'Parameters and body become the input schema',
    'Read the list, and called with a path parameter and a body',
    async () => {
      expect((await tool('getPet')).inputSchema).toMatchObject({
        properties: { petId: { type: 'integer', minimum: 1 } },
        required: ['petId'],
      });
      expect((await tool('addPet')).inputSchema).toMatchObject({
        properties: { body: { properties: { kind: { enum: ['cat', 'dog'] } } } },
        required: ['body'],
      });
      const body = { name: 'Mia', kind: 'cat', marks: ['a', 'b'], age: null };
      await call('addPet', { body });
      expect(JSON.parse(last().body)).toEqual(body);
      return 'both, with their keywords; the service got the body as given';
    },
  ),
  row(
    'S1.23',
    'Tags go to _meta; the rest stays with the gateway until describe asks',
    'Read the list and `describe`',
    async () => {
      const listed = await tool('getPet');
      expect(listed._meta['toolgate/tags']).toEqual(['pets']);
      expect(Object.keys(listed.annotations ?? {}).filter((key) => !/Hint$|^title$/.test(key))).toEqual([]);
      expect(JSON.stringify((await client('tools/list')).result)).not.toContain('docs.example');
      const described = await call('describe', { name: 'api__getPet', original: true });
      expect(JSON.stringify(described.result)).toContain('https://docs.example/pets');
      return 'tags in `_meta`, only the hints of MCP in `annotations`, and `externalDocs` nowhere but in `describe`';
    },
  ),
  row(
    'S1.29',
    'Features are switched by configuration; the original operation can be seen',
    'Compared a gateway with `max_list_bytes: 0` with one without, and described an operation',
    async () => {
      const names = (await other.send('/tools')).json.tools.map(({ name }: Loose) => name);
      expect(names).toEqual(expect.arrayContaining(['api__search', 'api__describe', 'api__call']));
      const original = JSON.stringify((await call('describe', { name: 'api__removePet', original: true })).result);
      expect(original).toContain('x-danger');
      return 'three tools stand for all; `describe` with `original` returns the operation with its extensions';
    },
  ),
  row(
    'S1.27',
    'Overrides are documented with examples that run',
    'Loaded each overlay of docs/guides/openapi.md over the example',
    async () => {
      const root = new URL('../../../', import.meta.url);
      const guide = readFileSync(new URL('docs/guides/openapi.md', root), 'utf8');
      const overlays = [...guide.matchAll(/```yaml\n(operations:[\s\S]*?)```/g)].map(([, text = '']) => text);
      expect(overlays.length).toBeGreaterThan(1);
      for (const overlay of overlays) {
        const folder = aFolder({
          'overlay.yaml': overlay,
          'petshop.yaml': readFileSync(new URL('examples/openapi/petshop.yaml', root), 'utf8'),
          'toolgate.yaml':
            'sources: { petshop: { kind: openapi, document: petshop.yaml, overlay: overlay.yaml, base_url: http://127.0.0.1:9, network: loopback } }\n',
        });
        const checked = await toolgate(folder, ['check'], { API_VERSION: '1', TENANT: 't' });
        expect(checked.code, checked.out + checked.err).toBe(0);
      }
      return 'each is accepted';
    },
  ),
  row(
    'S1.28',
    'Objects in a query are written out, inherited properties included, marks of routes stay out of names, and types may refer to themselves',
    'Listed and called three such operations',
    async () => {
      expect((await tool('search_pets')).inputSchema.properties.filter).toMatchObject({
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
      });
      await call('search_pets', { filter: { id: 1, name: 'a' } });
      expect(last().url).toBe('/search?id=1&name=a');
      expect(Object.keys((await tool('part')).inputSchema.properties)).toEqual(['id']);
      await call('part', { id: '7' });
      expect(last().url).toBe('/part/7');
      await call('tree', { body: { next: { next: {} } } });
      expect(JSON.parse(last().body)).toEqual({ next: { next: {} } });
      return '`?id=1&name=a`, the argument `id` for `{id?}`, and a tree that contains itself';
    },
  ),
  row(
    'S1.26',
    'Protocol, binding, results, errors, start-up and routing are each tested',
    'Looked for the test files of each area',
    () => {
      const files = [
        'src/transports/mcp/http/endpoint.test.ts',
        'src/transports/mcp/methods/call-methods.test.ts',
        'src/sources/openapi/request/bodies.test.ts',
        'src/sources/openapi/responses/outcomes.test.ts',
        'src/sources/openapi/source.test.ts',
        'src/access/approvals/approval-check.test.ts',
        'test/e2e/openapi.test.ts',
      ];
      for (const file of files) expect(existsSync(new URL(`../../../${file}`, import.meta.url)), file).toBe(true);
      return 'one file each for protocol, methods, binding, results, start-up, confirmation and routing';
    },
  ),
  // The last rows: they change the document of the shared gateway.
  row(
    'S1.12',
    'A changed document is swapped in at once; the list is announced only when it changed',
    'Rewrote the document with one more operation',
    async () => {
      change(document({ '/fresh': { get: { operationId: 'fresh', summary: 'Is new', responses: {} } } }));
      await expect.poll(() => tool('fresh'), { timeout: 10_000 }).toBeDefined();
      expect((await call('fresh')).result.isError).not.toBe(true);
      return 'the new operation is listed and called without a restart';
    },
    {
      unit: {
        reason: 'that nothing is announced can be seen only without a clock',
        test: 'src/sources/openapi/source.test.ts',
      },
    },
  ),
  row(
    'S1.24',
    'A change of the tools while running is announced',
    'Listened to the MCP session while the document changed',
    async () => {
      const folder = aFolder({
        'api.json': JSON.stringify(document()),
        'toolgate.yaml':
          'commands: { builtins: false }\nsources: { api: { kind: openapi, document: api.json, network: loopback } }\n',
      });
      const pipe = await stdioClient(folder, '2025-11-25');
      await pipe('tools/list');
      writeFileSync(
        join(folder, 'api.json'),
        JSON.stringify(document({ '/fresh': { get: { operationId: 'fresh', responses: {} } } })),
      );
      await expect
        .poll(() => pipe.notifications.map(({ method }) => method), { timeout: 10_000 })
        .toContain('notifications/tools/list_changed');
      await pipe.close();
      return '`notifications/tools/list_changed`';
    },
  ),
];
