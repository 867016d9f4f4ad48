import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenDone } from '../../support/temporary.js';
import { recordingServer } from '../../support/recording-server.js';
import { serving, toolgate, type Running } from '../../support/toolgate.js';
import { aFolder } from '../folder.js';
import { httpClient, type Loose } from '../mcp-client.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pets: readonly Loose[] = [
  { id: 1, name: 'Rex' },
  { id: 2, name: 'Tom' },
];

/** The service behind the document: it knows two pets, sends bytes, and answers everything else with what it got. */
export const service = await recordingServer({
  answer(request, response) {
    const { pathname } = new URL(request.url ?? '', 'http://service');
    const send = (status: number, type: string, body: string | Buffer): void =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    const id = /^\/pets\/(\d+)$/.exec(pathname)?.[1];
    if (id !== undefined && request.method === 'GET') {
      const pet: Loose = pets.find((one) => String(one.id) === id);
      send(pet === undefined ? 404 : 200, 'application/json', JSON.stringify(pet ?? { error: `no pet ${id}` }));
    } else if (pathname === '/photo') send(200, 'image/png', png);
    else if (pathname === '/sound') send(200, 'audio/wav', Buffer.alloc(64, 1));
    else if (pathname === '/archive') send(200, 'application/zip', Buffer.alloc(3_000_000, 7));
    else if (pathname === '/hidden') send(200, 'text/plain', 'plain\u202etext');
    else send(200, 'application/json', JSON.stringify({ done: pathname }));
  },
});
whenDone(() => service.close());

const ok = { responses: { 200: { description: 'ok' } } };
const petId = { name: 'petId', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } };
const owner = {
  type: 'object',
  required: ['email'],
  properties: { email: { type: 'string', format: 'email' }, phone: { type: ['string', 'null'] } },
};

/** A document without any annotation for MCP, except where a check overrides one. */
export const document = (more: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: `http://127.0.0.1:${service.port}` }],
  paths: {
    '/pets': {
      post: {
        operationId: 'addPet',
        summary: 'Adds a pet',
        description: 'Adds a pet to the shop.',
        tags: ['pets', 'writing'],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name', 'kind'],
                properties: {
                  name: { type: 'string', minLength: 2 },
                  kind: { enum: ['cat', 'dog'] },
                  marks: { type: 'array', items: { type: 'string' } },
                  age: { type: ['integer', 'null'] },
                  owner,
                },
              },
            },
          },
        },
        ...ok,
      },
    },
    '/pets/{petId}': {
      get: {
        operationId: 'getPet',
        summary: 'Finds a pet',
        tags: ['pets'],
        externalDocs: { url: 'https://docs.example/pets' },
        parameters: [petId],
        ...ok,
      },
      delete: { operationId: 'removePet', summary: 'Removes a pet', 'x-danger': 'high', parameters: [petId], ...ok },
    },
    '/odd': {
      get: { operationId: 'odd', summary: 'Sum\u202emary', description: 'De\u001b[2Jscribes \u200bit', ...ok },
    },
    '/named': {
      get: {
        operationId: 'named',
        summary: 'Derived',
        'x-mcp': { name: 'by_document', description: 'By document' },
        ...ok,
      },
    },
    '/over': {
      get: {
        operationId: 'over',
        summary: 'Derived',
        'x-mcp': { name: 'by_document_too', title: 'By document', description: 'By document' },
        parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
        ...ok,
      },
    },
    '/search': {
      get: {
        operationId: 'search_pets',
        summary: 'Searches pets',
        parameters: [{ name: 'filter', in: 'query', schema: { $ref: '#/components/schemas/Filter' } }],
        ...ok,
      },
    },
    '/part/{id?}': {
      get: {
        operationId: 'part',
        summary: 'Reads a part',
        parameters: [{ name: 'id?', in: 'path', schema: { type: 'string' } }],
        ...ok,
      },
    },
    '/tree': {
      post: {
        operationId: 'tree',
        summary: 'Stores a tree',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } } },
        ...ok,
      },
    },
    ...Object.fromEntries(
      ['photo', 'sound', 'archive', 'hidden', 'wipe'].map((name) => [
        `/${name}`,
        { get: { operationId: name, summary: `Reads ${name}`, ...ok } },
      ]),
    ),
    ...more,
  },
  components: {
    schemas: {
      Base: { type: 'object', properties: { id: { type: 'integer' } } },
      Filter: {
        allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { name: { type: 'string' } } }],
      },
      Tree: { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } },
    },
  },
});

const entry = '{ kind: openapi, document: api.json, overlay: overlay.yaml, network: loopback, describe: always }';
export const place = aFolder({
  'api.json': JSON.stringify(document()),
  'overlay.yaml': `operations:
  over: { name: by_operator, description: By operator, arguments: { q: { type: string, enum: [one, two] } }, meta: { team: shop } }
`,
  'toolgate.yaml': `commands: { builtins: false }
rate_limit: { requests: 100000 }
sources: { api: ${entry} }
policy:
  rules:
    - { id: no-danger, action: deny, when: '"x-danger" in tool.facts && tool.facts["x-danger"] == "high"' }
    - { id: ask, action: confirm, confirm: operator, tools: [api__wipe] }
    - { id: the-rest, action: allow }
`,
});
/** The key of a caller that is no operator. */
export const agent = (await toolgate(place, ['token', 'create', '--name', 'agent'])).out.trim();
/** The gateway that most checks share. */
export const gate: Running = await serving(place);
/** A gateway with its own path, a quiet log, and the operations behind three tools. */
export const other: Running = await serving(
  aFolder({
    'api.json': JSON.stringify(document()),
    'toolgate.yaml': `server: { mcp_path: /gate }
log: { level: warn }
commands: { builtins: false }
sources: { api: { kind: openapi, document: api.json, network: loopback, max_list_bytes: 0 } }
rate_limit: { requests: 3 }
`,
  }),
);
export const client = await httpClient(gate, '2025-11-25');

/** Replaces the document of the shared gateway. */
export const change = (next: object): void => writeFileSync(join(place, 'api.json'), JSON.stringify(next));
/** A tool as a client sees it. */
export async function tool(name: string): Promise<Loose> {
  const { result } = await client('tools/list');
  return result.tools.find((one: Loose) => one.name === `api__${name}`);
}
/** The JSON-RPC response to a call. */
export const call = (name: string, args: object = {}): Promise<Loose> =>
  client('tools/call', { name: `api__${name}`, arguments: args });
/** The last request of the service. */
export const last = (): Loose => service.requests.at(-1);
/** Posts this text to the MCP endpoint as it is. */
export async function post(
  text: string,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<{ status: number; text: string; json: Loose }> {
  const response = await fetch(`${gate.url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${gate.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method !== 'GET' && { body: text }),
  });
  const answer = await response.text();
  return { status: response.status, text: answer, json: answer.startsWith('{') ? JSON.parse(answer) : undefined };
}
