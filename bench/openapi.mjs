import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { validate } from '../dist/guards/validate.js';
import { egress } from '../dist/net/egress/egress.js';
import { networkPolicy } from '../dist/net/egress/network-policy.js';
import { openApiSource } from '../dist/sources/openapi/source.js';

const here = dirname(fileURLToPath(import.meta.url));
const corpus = join(here, '../../shared/corpus/openapi');
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Brings the peers to compare with; false, with one line, where that is not possible. */
function havePeers() {
  if (['openapi-mcp-generator', 'fastmcp'].every((name) => existsSync(join(here, 'peers/node_modules', name))))
    return true;
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], {
    cwd: join(here, 'peers'),
    stdio: 'ignore',
  });
  if (status !== 0) console.error('skipped: the peers could not be installed');
  return status === 0;
}

/** One contender over all documents, in a separate process so that its memory is measured alone. */
function converted(contender, documents) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--max-old-space-size=4096', join(here, 'openapi/convert.mjs'), contender, ...documents],
    { encoding: 'utf8', maxBuffer: 1 << 26, timeout: 900_000 },
  );
  const line = stdout?.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : { ended: status, stderr: stderr?.slice(-200) };
}

const echo = `
const body = JSON.stringify({ id: 7, name: 'Rex', tags: Array.from({ length: 20 }, (_, id) => ({ id, name: 'tag ' + id })) });
const server = require('node:http').createServer((request, response) => { request.resume(); response.setHeader('content-type', 'application/json'); response.end(body); });
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
`;
const pet = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    tags: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
    },
  },
  required: ['id', 'name'],
};
const document = {
  openapi: '3.1.0',
  info: { title: 'bench', version: '1' },
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
        ],
        responses: { 200: { description: 'ok', content: { 'application/json': { schema: pet } } } },
      },
    },
  },
};

/** CPU of one call through validation, request building, the egress guard and the judging of its answer, against undici alone. */
async function callCost({ rounds = 9, calls = 1_500 } = {}) {
  const server = spawn(process.execPath, ['-e', echo], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout, 'data');
  const port = Number(String(line));
  const file = join(mkdtempSync(join(tmpdir(), 'toolgate-bench-')), 'api.json');
  writeFileSync(file, JSON.stringify(document));
  const { policy } = networkPolicy({ allow: ['loopback'] });
  const source = openApiSource({
    id: 'bench',
    document: file,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    openEgress: () => egress({ networks: policy, hosts: ['127.0.0.1'], ports: [port] }),
  });
  const [tool] = await source.list(new AbortController().signal);
  const handler = validate(tool, tool.run);
  const agent = new Agent({ connections: 16, pipelining: 1 });
  const signal = new AbortController().signal;
  const { setMaxListeners } = await import('node:events');
  setMaxListeners(0, signal);
  const through = async (id) => {
    const outcome = await handler({
      id: 'x',
      tool: tool.name,
      principal: { id: 'a', name: 'a', kind: 'local', roles: [] },
      via: 'cli',
      args: { id, fields: ['name', 'tags'] },
      receivedAt: 0,
      signal,
      correlationId: 'c',
    });
    if (outcome.kind !== 'done' || outcome.data.name !== 'Rex') throw new Error(JSON.stringify(outcome));
  };
  const direct = async (id) => {
    const answer = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: `/v1/pets/${id}?fields=name&fields=tags`,
      method: 'GET',
      headers: { accept: 'application/json' },
    });
    if ((await answer.body.json()).name !== 'Rex') throw new Error('wrong answer');
  };
  const cpu = async (call) => {
    const before = process.cpuUsage();
    let next = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (next < calls) await call(next++);
      }),
    );
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  };
  try {
    const figures = { direct: [], through: [] };
    await cpu(direct);
    await cpu(through);
    for (let round = 0; round < rounds; round += 1) {
      figures.direct.push(await cpu(direct));
      figures.through.push(await cpu(through));
    }
    const [directMicros, throughMicros] = [Math.round(median(figures.direct)), Math.round(median(figures.through))];
    return { directMicros, throughMicros, addedMicros: throughMicros - directMicros };
  } finally {
    await source.close();
    await agent.close();
    server.stdin.end();
  }
}

/** Documents into tools against two peers, and what a call costs against a direct one. */
export async function run() {
  const folder = existsSync(corpus) ? corpus : join(here, '../examples/openapi');
  if (folder !== corpus) console.log('skipped: the documents beside this checkout are absent; the example stands in');
  const documents = readdirSync(folder)
    .filter((file) => /\.(json|ya?ml)$/.test(file) && !/^(index|overlay|toolgate)\./.test(file))
    .map((file) => join(folder, file));
  const operations = existsSync(join(folder, 'index.json'))
    ? JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')).reduce((sum, each) => sum + each.operations, 0)
    : undefined;
  const contenders = havePeers()
    ? ['toolgate', 'openapi-mcp-generator', 'openapi-mcp-generator, dereferenced', 'fastmcp']
    : ['toolgate'];
  return {
    documents: documents.length,
    operations,
    conversion: Object.fromEntries(contenders.map((contender) => [contender, converted(contender, documents)])),
    call: await callCost(),
  };
}
