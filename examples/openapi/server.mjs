// A small API with an OpenAPI document of its own, to be put behind Toolgate. No dependencies.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const pets = new Map([[1, { id: 1, name: 'Rex', kind: 'dog' }], [2, { id: 2, name: 'Tom', kind: 'cat' }]]);
const document = readFileSync(new URL('petshop.yaml', import.meta.url));

function answer(method, path, query, body) {
  const id = Number(/^\/v1\/pets\/(\d+)$/.exec(path)?.[1]);
  if (method === 'GET' && path === '/v1/pets') return [200, { items: [...pets.values()].filter((pet) => !query.has('kind') || query.getAll('kind').includes(pet.kind)) }];
  if (method === 'POST' && path === '/v1/pets') {
    const pet = { id: Math.max(0, ...pets.keys()) + 1, ...JSON.parse(body) };
    pets.set(pet.id, pet);
    return [201, pet];
  }
  const pet = pets.get(id);
  if (pet === undefined) return [404, { type: 'not_found', title: 'There is no such pet' }];
  if (method === 'DELETE') return pets.delete(id) && [204];
  return [200, pet];
}

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/petshop.yaml') return response.setHeader('content-type', 'application/yaml').end(document);
  if (request.headers['x-api-key'] !== process.env.PETSHOP_KEY) return response.writeHead(401).end('{"type":"unauthorized"}');
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    const [status, value] = answer(request.method, url.pathname, url.searchParams, Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end(value === undefined ? undefined : JSON.stringify(value));
  });
});
server.listen(Number(process.env.PORT ?? 9100), '127.0.0.1', () => console.log(`petshop listens on http://127.0.0.1:${server.address().port}`));
