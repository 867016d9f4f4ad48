import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, oddSleep, processesNamed } from '../support/processes.js';
import { aPluginFolder } from '../support/plugins.js';
import { aPlace, serving, toolgate } from '../support/toolgate.js';

/** A server that does what its caller asks: reads and writes files and runs commands, as a hijacked one would. */
const hostile = `
import { execFile } from 'node:child_process';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
const server = new McpServer({ name: 'hostile', version: '1.0.0' });
server.registerTool('sh', { description: 'Runs a command', inputSchema: { script: z.string() } }, ({ script }) =>
  new Promise((resolve) => execFile('/bin/sh', ['-c', script], (_, out, err) => resolve({ content: [{ type: 'text', text: 'OUT:' + out + err }] }))));
await server.connect(new StdioServerTransport());
`;
const quiet = 'commands: { builtins: false }\nrate_limit: { requests: 100000, burst: 1000 }\n';
const entry = (script: string, sandbox = ''): string => `${quiet}sources:
  evil:
    kind: mcp
    runtime: node
    args: [${JSON.stringify(script)}]
    admission: open
${sandbox === '' ? '' : `    sandbox: ${sandbox}\n`}`;

/** A user with a home outside /tmp, which is private anyway. */
function aHome(): string {
  const home = mkdtempSync('/var/tmp/toolgate-home-');
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of ['.ssh', '.aws', 'work']) mkdirSync(join(home, folder));
  writeFileSync(join(home, '.ssh/id_ed25519'), 'SECRET-KEY');
  writeFileSync(join(home, '.aws/credentials'), 'SECRET-KEY');
  writeFileSync(join(home, 'work/notes.txt'), 'my notes');
  return home;
}

test('a hostile local server reads neither the token, the configuration, credentials nor the environment of the gateway, and leaves no process', async () => {
  const home = aHome();
  const { folder } = aPluginFolder({ 'server.mjs': hostile });
  const place = aPlace({ 'toolgate.yaml': entry(join(folder, 'server.mjs')) });
  const gate = await serving(place, [], { HOME: home });
  const sh = async (script: string): Promise<string> => {
    const answer = await gate.send('/tools/evil__sh/execute', { body: { script } });
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  };
  const state = /token +(\S+)/.exec(gate.banner)?.[1] ?? join(place, 'home/token');
  expect(readFileSync(state, 'utf8').trim()).toBe(gate.token);
  const stolen = await sh(
    `cat ${state} ${place}/toolgate.yaml ${home}/.ssh/* ${home}/.aws/* /proc/${gate.child.pid}/environ /proc/*/environ | tr '\\0' '\\n'; grep -rl SECRET-KEY ${home}; cat ${home}/work/notes.txt`,
  );
  expect(stolen).toContain('my notes');
  expect(stolen).not.toContain(gate.token);
  expect(stolen).not.toContain('SECRET-KEY');
  expect(stolen).not.toContain('admission');
  expect(stolen).not.toContain(`HOME=${home}`);
  expect(await sh(`ls -d /proc/${gate.child.pid}; echo x > ${place}/toolgate.yaml; mv ${place} ${place}.old`)).toMatch(
    /No such file|cannot access/,
  );
  expect(readFileSync(join(place, 'toolgate.yaml'), 'utf8')).toContain('evil:');
  const odd = oddSleep();
  await sh(`prlimit --rttime=1000000:1000000 setsid sh -c 'sleep ${odd} & sleep ${odd}' >/dev/null 2>&1 & true`);
  await eventually(
    () => processesNamed(odd).length,
    (found) => found > 0,
  );
  await gate.stop();
  expect(processesNamed(odd)).toEqual([]);
});

test('a configuration that an editor replaces while a server runs is hidden from the next call, and a running call ends', async () => {
  const { folder } = aPluginFolder({ 'server.mjs': hostile });
  const place = aPlace({ 'toolgate.yaml': entry(join(folder, 'server.mjs')) });
  const gate = await serving(place, [], { HOME: aHome() });
  const config = join(place, 'toolgate.yaml');
  const sh = async (script: string): Promise<string> =>
    (await gate.send('/tools/evil__sh/execute', { body: { script } })).text;
  expect(await sh(`cat ${config}`)).not.toContain('admission');
  // In the working directory both sides see: the call has begun, and it may end.
  const running = sh(`echo > ${place}/begun; until [ -e ${place}/go ]; do sleep 0.1; done; echo ended-normally`);
  await eventually(
    () => existsSync(join(place, 'begun')),
    (found) => found,
  );
  writeFileSync(`${config}.new`, `${readFileSync(config, 'utf8')}# PLANTED-LATER\n`);
  renameSync(`${config}.new`, config);
  await eventually(
    () => sh(`cat ${config}; echo read`),
    (text) => text.includes('read') && !text.includes('PLANTED-LATER'),
  );
  writeFileSync(join(place, 'go'), '');
  expect(await running).toContain('ended-normally');
  for (let turn = 0; turn < 3; turn += 1) expect(await sh(`cat ${config}; echo read`)).not.toContain('PLANTED-LATER');
});

const pythonServer = `
import json, os, sys, tempfile
for line in sys.stdin:
    request = json.loads(line)
    if 'id' not in request: continue
    method = request['method']
    if method == 'initialize':
        result = {'protocolVersion': request['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'py', 'version': '1'}}
    elif method == 'tools/list':
        result = {'tools': [{'name': 'write', 'description': 'Writes a file', 'inputSchema': {'type': 'object'}}]}
    elif method == 'tools/call':
        open('made-by-python.txt', 'w').write(sys.prefix)
        with tempfile.NamedTemporaryFile() as file: file.write(b'x')
        result = {'content': [{'type': 'text', 'text': sys.prefix}]}
    else:
        print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'error': {'code': -32601, 'message': 'unknown'}}), flush=True)
        continue
    print(json.dumps({'jsonrpc': '2.0', 'id': request['id'], 'result': result}), flush=True)
`;

test.skipIf(!existsSync('/usr/bin/python3'))(
  'a Python server in a virtual environment works in its working directory, with temporary files and uv-like links',
  async () => {
    // In the home folder: a program below a folder that others may write, such as /tmp, is refused.
    const folder = mkdtempSync(join(homedir(), '.toolgate-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'venv/bin'), { recursive: true });
    writeFileSync(join(folder, 'server.py'), pythonServer);
    writeFileSync(join(folder, 'venv/pyvenv.cfg'), 'home = /usr/bin\n');
    symlinkSync('/usr/bin/python3', join(folder, 'venv/bin/python'));
    const place = aPlace({
      'toolgate.yaml': `${quiet}sources:
  py: { kind: mcp, command: ${JSON.stringify(join(folder, 'venv/bin/python'))}, args: [server.py], cwd: ${JSON.stringify(folder)}, admission: open }\n`,
    });
    const called = await toolgate(place, ['call', 'py__write']);
    expect(called, called.err).toMatchObject({ code: 0, out: `${join(folder, 'venv')}\n` });
    expect(readFileSync(join(folder, 'made-by-python.txt'), 'utf8')).toBe(join(folder, 'venv'));
  },
);

test('the listing shows the sandbox of each server, and check warns about a weak one', async () => {
  const { folder } = aPluginFolder({ 'server.mjs': hostile });
  const script = join(folder, 'server.mjs');
  const shown = async (sandbox: string): Promise<string> => {
    const place = aPlace({ 'toolgate.yaml': entry(script, sandbox) });
    return `${(await toolgate(place, ['sources', 'test', 'evil'])).out}${(await toolgate(place, ['check'])).out}`;
  };
  const guarded = await shown('');
  expect(guarded).toMatch(/evil +ready +1 tool\n {2}sandbox +bwrap guarded, host network/);
  expect(guarded).not.toContain('weak-sandbox');
  const open = await shown('{ tier: none }');
  expect(open).toMatch(/evil +ready +1 tool\n {2}sandbox +unsandboxed/);
  expect(open).toMatch(/sandbox\.tier.*unsandboxed/);
  expect(await shown('{ tier: prlimit }')).toMatch(/sandbox\.tier.*resource limits only/);
  // An entry of an earlier version: listed folders only, and no network.
  expect(await shown(`{ tier: bwrap, readable: [${JSON.stringify(join(folder, '../..'))}] }`)).toMatch(
    /evil +ready +1 tool\n {2}sandbox +bwrap strict, no network/,
  );
});

test('doctor shows tiers, profile, the sandbox of each source and the programs that sources need', async () => {
  const { folder } = aPluginFolder({ 'server.mjs': hostile });
  const config = entry(join(folder, 'server.mjs'), '{ tier: none }').replace(
    'builtins: false',
    'builtins: true, sandbox: { tier: none }',
  );
  const place = aPlace({ 'toolgate.yaml': config });
  const { out } = await toolgate(place, ['doctor']);
  expect(out).toMatch(/^pass +sandbox: guarded profile +works$/m);
  expect(out).toMatch(/^warn +source: evil +unsandboxed$/m);
  expect(out).toMatch(/^warn +source: command +unsandboxed$/m);
  for (const name of ['bwrap', 'npm', 'uv', 'python3', 'git', 'docker'])
    expect(out).toMatch(new RegExp(`^(?:pass|warn) +program: ${name} .*: \\w.*`, 'm'));
  // A command without tier and limits still runs, and its result states it.
  const called = await toolgate(place, ['call', 'ping', 'target=127.0.0.1', '--json']);
  expect(called.out).toContain('"tier": "none"');
  const gate = await serving(place);
  expect((await gate.send('/health')).text).toContain('unsandboxed: command, evil');
});
