import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { aServer, json } from '../support/functions.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

const example = join(dirname(fileURLToPath(import.meta.url)), '../../examples/functions');
const token = 'example-token-91';

/** The example's own server on a free port. */
async function exampleServer(): Promise<string> {
  const child = spawn(process.execPath, [join(example, 'server.mjs')], {
    env: { PORT: '0', FUNCTIONS_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return /http:\S+[0-9]/.exec(String(line))?.[0] ?? '';
}

test('the example runs as its page describes: each source with one curl, and the same through the gate [S2.33] [S2.22] [S2.1]', async () => {
  const server = await exampleServer();
  const at = (text: string, gate = ''): string =>
    text.replaceAll('http://127.0.0.1:9000', server).replaceAll('http://127.0.0.1:8080', gate);
  const cwd = aPlace({ 'toolgate.yaml': at(readFileSync(join(example, 'toolgate.yaml'), 'utf8')) });
  const gate = await serving(cwd, [], { FUNCTIONS_TOKEN: token });
  const commands = [...readFileSync(join(example, 'README.md'), 'utf8').matchAll(/^curl .*$/gm)].map(([line]) =>
    at(line, gate.url),
  );
  const run = (command = ''): unknown =>
    JSON.parse(
      execFileSync('/bin/sh', ['-c', command], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], FUNCTIONS_TOKEN: token, TOKEN: gate.token },
      }),
    );
  expect(commands).toHaveLength(4);
  expect(run(commands[0])).toMatchObject({ city: 'Bonn', temperature: 21.5 });
  expect(run(commands[1])).toMatchObject({ functions: [{ name: 'add' }, { name: 'get_weather' }] });
  expect(run(commands[2])).toMatchObject({ data: { city: 'Oslo', sky: 'rain' } });
  expect(run(commands[3])).toMatchObject({
    error: null,
    structured_content: { success: true, output: { city: 'Bonn', units: 'metric' } },
  });
  const call = async (name: string, body: unknown) => (await gate.send(`/tools/${name}/execute`, { body })).json;
  expect(await call('calc__add', { a: 2, b: 40 })).toMatchObject({ structured_content: { output: { sum: 42 } } });
  expect(await call('atlas__city', { city: 'Oslo' })).toMatchObject({
    structured_content: { output: { city: 'Oslo', temperature: 9, sky: 'rain' } },
  });
  expect(await call('weather', { city: 'Atlantis' })).toMatchObject({
    error_type: 'execution_error',
    error: 'HTTP error 404: {"error":"Unknown city: Atlantis"}',
  });
  // The command that a tool shows for itself works as well, once its arguments are filled in.
  const { curl } = (await gate.send('/tools/weather')).json as { curl: string };
  expect(run(curl.replace('{city}', 'Bonn').replace('{units}', 'imperial'))).toMatchObject({ temperature: 70.7 });
});

test('a tool added to the file is there without a restart, and a bad edit changes nothing [S2.20]', async () => {
  const server = await aServer(json({ said: 'hello' }));
  const one = `mcp_tools:\n  one: { url: "${server.url}" }\n`;
  const cwd = aPlace({ 'toolgate.yaml': one });
  const gate = await serving(cwd);
  const edit = (text: string): void => {
    writeFileSync(join(cwd, 'next'), text);
    renameSync(join(cwd, 'next'), join(cwd, 'toolgate.yaml'));
  };
  expect((await gate.send('/tools/two/execute', { body: {} })).status).toBe(404);
  edit(`${one}  two: { url: "${server.url}", func_name: second }\n`);
  await gate.logged('"config.reloaded"');
  expect((await gate.send('/tools/two/execute', { body: { args: { x: 1 } } })).json).toMatchObject({
    structured_content: { output: { said: 'hello' } },
  });
  expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toEqual({ function: 'second', args: { x: 1 } });
  edit(`${one}  three: { url: "http://evil.example/" }\n`);
  await gate.logged('"config.rejected"');
  expect(gate.log()).toContain("MCP URL host 'evil.example' not in allowed domains");
  expect((await gate.send('/tools/two')).status).toBe(200);
});

test('a secret is sent and nowhere shown: not in lists, logs, errors or GET /config [S2.18]', async () => {
  const secret = 'fn-secret-7c21e9';
  const server = await aServer((request, response) =>
    response.writeHead(401).end(`bad key ${request.headers['x-api-key']}`),
  );
  const cwd = aPlace({
    'toolgate.yaml': `mcp_tools:\n  f: { url: "${server.url}", headers: { X-Api-Key: "\${FN_KEY}" } }\nlog: { level: debug }\n`,
  });
  const gate = await serving(cwd, [], { FN_KEY: secret });
  const answers = [
    await gate.send('/tools/f/execute', { body: {} }),
    await gate.send('/config'),
    await gate.send('/tools'),
    await gate.send('/tools/f'),
    await gate.send('/metrics'),
  ];
  expect(server.requests[0]?.headers['x-api-key']).toBe(secret);
  expect(answers[0]?.json).toMatchObject({ error: 'HTTP error 401: bad key [redacted]' });
  expect(answers[1]?.text).toContain('[redacted ${FN_KEY}]');
  expect([...answers.map(({ text }) => text), gate.log()].join('\n')).not.toContain('7c21e9');
});

test('the breaker of an origin is seen in log, events and metrics when it opens [S2.31] [S2.8]', async () => {
  const server = await aServer(json({}, 500));
  const cwd = aPlace({
    'toolgate.yaml': `mcp_tools:\n  f: { url: "${server.url}", circuit_breaker: { failure_threshold: 2 } }\n`,
  });
  const gate = await serving(cwd, [], { MCP_CB_FAILURES: '4' });
  const origin = `http://127.0.0.1:${server.port}`;
  const watching = await fetch(`${gate.url}/events`, { headers: { authorization: `Bearer ${gate.token}` } });
  for (let time = 0; time < 3; time += 1) await gate.send('/tools/f/execute', { body: {} });
  expect(server.requests).toHaveLength(2);
  await gate.logged('"circuit_breaker.state_changed"');
  expect(gate.log()).toContain(`"origin":"${origin}","old":"closed","new":"open"`);
  expect((await gate.send('/metrics')).text).toContain(`mcp_origin_circuit_breaker_state{origin="${origin}"} 2`);
  const reader = watching.body?.getReader();
  let seen = '';
  while (!seen.includes('"new":"open"')) seen += new TextDecoder().decode((await reader?.read())?.value);
  expect(seen).toContain(origin);
  await reader?.cancel();
});

test('* in the domains needs --insecure-dev, from the file or the environment [S2.4]', async () => {
  const cwd = aPlace({ 'toolgate.yaml': 'mcp_tools:\n  f: { url: "http://any.example/" }\n' });
  const refused = await toolgate(cwd, ['check'], { MCP_ALLOWED_DOMAINS: '*' });
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('MCP_ALLOWED_DOMAINS: outbound.allowed_domains contains *'),
  ]);
  const allowed = await toolgate(cwd, ['tools', '--json', '--insecure-dev'], { MCP_ALLOWED_DOMAINS: '*' });
  expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining('"name": "f"')]);
});
