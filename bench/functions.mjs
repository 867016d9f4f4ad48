import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { loadConfig } from '../dist/config/load.js';
import { log } from '../dist/observe/log/log.js';
import { openGate } from '../dist/serve/gate.js';
import { homeOf } from '../dist/serve/home.js';

// In a separate process, so that only the caller's CPU is counted; it echoes the request, so that every response can be checked.
const echo = `
const items = Array.from({ length: 20 }, (_, id) => ({ id, name: 'item ' + id }));
const server = require('node:http').createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => { text += chunk; }).on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ n: JSON.parse(text).args.n, items }));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
`;

/** The same server as an API: one operation, its answer described. */
const api = {
  openapi: '3.1.0',
  info: { title: 'echo', version: '1' },
  paths: {
    '/': {
      post: {
        operationId: 'echo',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['args'],
                properties: { args: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'what was said',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['n', 'items'],
                  properties: {
                    n: { type: 'integer' },
                    items: {
                      type: 'array',
                      items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};
const configuration = (port) => `
mcp_tools:
  echo: { url: "http://127.0.0.1:${port}/", parameters: [{ name: n, type: integer, required: true }] }
sources:
  api: { kind: openapi, document: api.json, base_url: "http://127.0.0.1:${port}", network: loopback }
tool: { overrides: { echo: { concurrency: 64, rate: 100000 }, api__echo: { concurrency: 64, rate: 100000 } } }
rate_limit: { requests: 100000, burst: 100000 }
commands: { builtins: false }
`;

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Client CPU microseconds and wall microseconds per call, with so many calls in flight and every answer checked. */
async function cost(call, inFlight, calls) {
  let next = 0;
  const work = async () => {
    while (next < calls) {
      const n = next++;
      if ((await call(n)) !== n) throw new Error('a wrong answer');
    }
  };
  const before = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / calls, wall: ((performance.now() - start) * 1000) / calls };
}

/** What a call of an HTTP function and of an API's operation costs through every guard of a gate, audit on disk included, against undici alone in interleaved rounds. */
export async function run({ rounds = 7, calls = 1_000 } = {}) {
  const server = spawn(process.execPath, ['-e', echo], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = Number(String((await once(server.stdout, 'data'))[0]));
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const file = join(folder, 'toolgate.yaml');
  writeFileSync(join(folder, 'api.json'), JSON.stringify(api));
  writeFileSync(file, configuration(port));
  const env = { TOOLGATE_HOME: join(folder, 'home') };
  const loaded = await loadConfig({ env, argv: ['--config', file], cwd: folder });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('; '));
  const gate = await openGate({ loaded, home: homeOf(env, undefined), log: log({ level: 'error' }), env });
  const agent = new Agent({ connections: 16, pipelining: 1 });
  // A fresh caller every 512 calls: the rate limit is part of what is measured, not what stops it.
  const principalOf = (n) => ({ id: `bench-${round}-${n >> 9}`, name: 'bench', kind: 'local', roles: ['admin'] });
  let round = 0;
  const direct = async (n) => {
    const answer = await agent.request({
      origin: `http://127.0.0.1:${port}`,
      path: '/',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ function: 'echo', args: { n } }),
    });
    return (await answer.body.json()).n;
  };
  const gated = (tool, argsOf, read) => async (n) => {
    const { outcome } = await gate.gateway.call({
      tool,
      args: argsOf(n),
      principal: principalOf(n),
      via: 'cli',
      signal: new AbortController().signal,
    });
    if (outcome.kind !== 'done') throw new Error(outcome.kind === 'failed' ? outcome.error.message : outcome.kind);
    return read(outcome.data);
  };
  const compared = async (through) => {
    const results = {};
    for (const inFlight of [1, 16]) {
      const figures = { direct: [], gated: [] };
      for (let at = 0; at <= rounds; at += 1) {
        round += 1;
        const [one, two] = [await cost(direct, inFlight, calls), await cost(through, inFlight, calls)];
        // The first round warms connections and code.
        if (at > 0) {
          figures.direct.push(one);
          figures.gated.push(two);
        }
      }
      const of = (list, key) => Math.round(median(list.map((each) => each[key])));
      results[inFlight] = {
        directCpuMicros: of(figures.direct, 'cpu'),
        gatedCpuMicros: of(figures.gated, 'cpu'),
        addedCpuMicros: Math.round(median(figures.gated.map(({ cpu }, at) => cpu - figures.direct[at].cpu))),
        directWallMicros: of(figures.direct, 'wall'),
        gatedWallMicros: of(figures.gated, 'wall'),
      };
    }
    return results;
  };
  try {
    return {
      httpFunctionPerCall: await compared(
        gated(
          'echo',
          (n) => ({ n }),
          ({ output }) => output.n,
        ),
      ),
      openApiOperationPerCall: await compared(
        gated(
          'api__echo',
          (n) => ({ body: { args: { n } } }),
          ({ n }) => n,
        ),
      ),
    };
  } finally {
    await Promise.all([gate.close(1_000), agent.destroy()]);
    server.stdin.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
