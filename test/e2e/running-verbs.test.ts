import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anAssistant, endGates, gatesOf } from '../support/assistant.js';
import { aPlace, toolgate } from '../support/toolgate.js';

/** A place with one HTTP function, whose gate runs in the background. */
async function aRunningGate(): Promise<{ cwd: string; pid: number; requests: () => number }> {
  let requests = 0;
  const server = createServer((_req, res) => {
    requests += 1;
    res.setHeader('content-type', 'application/json');
    res.end('{"answer":42}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const cwd = aPlace({
    'toolgate.yaml': `commands: { builtins: false }\nmcp_tools:\n  answer: { description: Answers the question, url: "${url}" }\n`,
  });
  endGates(cwd);
  await anAssistant(cwd);
  return { cwd, pid: gatesOf(cwd)[0].pid, requests: () => requests };
}

test('verbs use the running gate, name it, and share its state', async () => {
  const { cwd, pid, requests } = await aRunningGate();
  const status = await toolgate(cwd, ['status', '--json']);
  expect(JSON.parse(status.out).gates).toMatchObject([{ pid, mode: 'background', clients: 1 }]);
  const called = await toolgate(cwd, ['call', 'answer']);
  expect(called).toMatchObject({ code: 0, out: expect.stringContaining('42') });
  expect(called.err).toContain(`answered by gate ${pid} (background`);
  expect(requests()).toBe(1);

  expect(await toolgate(cwd, ['disable', 'answer'])).toMatchObject({ code: 0, out: 'disabled    answer\n' });
  expect((await toolgate(cwd, ['tools'])).out).toMatch(/^answer +disabled/);
  expect(await toolgate(cwd, ['call', 'answer'])).toMatchObject({ code: 3 });
  expect(await toolgate(cwd, ['enable', 'anwser'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('unknown tool "anwser"; did you mean answer?'),
  });
  expect(await toolgate(cwd, ['enable', 'answer'])).toMatchObject({ code: 0 });
  const cost = JSON.parse((await toolgate(cwd, ['tools', '--cost', '--json'])).out);
  expect(cost.sources).toMatchObject([{ source: 'mcp_tools', tools: 1 }]);
  expect(cost.sources[0].tokens).toBeGreaterThan(10);
  // A separate gate in this process does not share the switch.
  expect((await toolgate(cwd, ['tools', '--alone'])).err).not.toContain('answered by');

  expect(await toolgate(cwd, ['approvals', 'list'])).toMatchObject({ code: 0 });
  expect(await toolgate(cwd, ['stop'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`stopping gate ${pid}`),
  });
  await expect.poll(() => gatesOf(cwd), { timeout: 20_000 }).toEqual([]);
  expect(await toolgate(cwd, ['status'])).toMatchObject({ code: 1, out: 'no gate runs; toolgate serve starts one\n' });
}, 90_000);

test('help names a verb, and completion scripts are valid in the shells that are installed', async () => {
  const cwd = aPlace();
  expect((await toolgate(cwd, ['help', 'status'])).out).toBe((await toolgate(cwd, ['status', '--help'])).out);
  expect(await toolgate(cwd, ['completion', 'tcsh'])).toMatchObject({ code: 2 });
  const { out } = await toolgate(cwd, ['completion', 'bash']);
  const complete = `${out}\nCOMP_WORDS=(toolgate sta); COMP_CWORD=1; _toolgate; echo "\${COMPREPLY[@]}"; COMP_WORDS=(toolgate stop --a); COMP_CWORD=2; _toolgate; echo "\${COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['-c', complete], { encoding: 'utf8' })).toBe('status\n--all\n');
}, 60_000);

/** Completes `toolgate sta` and `toolgate stop --a` in a shell that has sourced `$1`. */
const completions = {
  fish: ['--no-config', '-c', `source $argv[1]; complete -C 'toolgate sta'; complete -C 'toolgate stop --a'`],
  // The widgets of the line editor print what they are given: there is no line to edit.
  zsh: [
    '-f',
    '-c',
    `compdef() { :; }; source $1
_describe() { print -l -- \${(P)2}; }; _files() { :; }; compadd() { shift; print -l -- "$@"; }
words=(toolgate sta); CURRENT=2; _toolgate | grep '^sta'
words=(toolgate stop --a); CURRENT=3; _toolgate | grep '^--a'`,
    'zsh',
  ],
};

test.each(['zsh', 'fish'] as const)(
  'completion runs in %s',
  async (shell) => {
    const cwd = aPlace();
    const { out } = await toolgate(cwd, ['completion', shell]);
    const script = join(cwd, `completion.${shell}`);
    writeFileSync(script, out);
    const ran = spawnSync(shell, [...completions[shell], script], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd },
    });
    if (ran.error) return console.log(`skipped: ${shell} is not installed`);
    expect(ran.stdout).toMatch(/^status[:\t]show the running gates\n--all\s*$/);
  },
  60_000,
);
