// Takes a picture of every page of the console, light and dark: node scripts/console-screenshots.mjs [folder]
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const cli = join(dirname(fileURLToPath(import.meta.url)), '../dist/cli.js');
const target = resolve(process.argv[2] ?? 'screenshots');
const folder = mkdtempSync(join(tmpdir(), 'toolgate-pictures-'));
const env = { PATH: process.env.PATH, HOME: folder, TOOLGATE_HOME: join(folder, 'home') };
const toolgate = (...argv) =>
  execFileSync(process.execPath, [cli, ...argv], { cwd: folder, env, encoding: 'utf8' }).trim();

/** A server whose code has a command injection, so that the scan report has a path to show. */
mkdirSync(join(folder, 'notes'));
writeFileSync(
  join(folder, 'notes/server.mjs'),
  `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { exec } from 'node:child_process';
import { z } from 'zod';

const server = new McpServer({ name: 'notes', version: '1.0.0' });
const search = (word) => 'grep -r ' + word + ' notes/';

server.registerTool('find_note', { description: 'Finds notes', inputSchema: { word: z.string() } }, async ({ word }) => {
  const command = search(word);
  const output = await new Promise((resolve) => exec(command, (_, out) => resolve(out)));
  return { content: [{ type: 'text', text: output }] };
});
await server.connect(new StdioServerTransport());
`,
);
writeFileSync(
  join(folder, 'toolgate.yaml'),
  `sources:
  notes: { kind: mcp, runtime: node, args: [${JSON.stringify(join(folder, 'notes/server.mjs'))}], sandbox: { tier: none } }
policy:
  confirmation: { wait_seconds: 120 }
  rules:
    - { id: no-metadata, action: deny, tools: [ping], args: { target: { equals: 127.0.0.9 } }, reason: "this host is off limits" }
    - { id: ops-approve, action: confirm, confirm: operator, tools: [ping], principals: ["key:assistant"], reason: "probes a host" }
    - { id: rest, action: allow }
audit: { keep_arguments: true, stages: true }
rate_limit: { requests: 600 }
`,
);
mkdirSync(target, { recursive: true });
const key = toolgate('token', 'create', '--name', 'assistant');
const gate = spawn(process.execPath, [cli, 'serve', '--http', '--port', '0'], { cwd: folder, env });
let out = '';
await new Promise((done) => {
  gate.stdout.on('data', (chunk) => {
    out += chunk;
    if (out.includes('Try it:')) done();
  });
});
const url = /listens on (\S+)/.exec(out)[1];
const owner = readFileSync(join(folder, 'home/token'), 'utf8').trim();
const call = (tool, body, token = owner) =>
  fetch(`${url}/tools/${tool}/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
});
try {
  for (let n = 1; n < 24; n += 1) {
    await call('ping', { target: `127.0.0.${n}`, count: 1 });
    if (n % 4 === 0) await call('ping', { target: '127.0.0.9' });
    if (n % 5 === 0) await call('ping', { target: 'not a host' });
    await new Promise((done) => setTimeout(done, 700));
  }
  await call('ping', { target: '127.0.0.9' });
  void call('ping', { target: '127.0.0.1' }, key).catch(() => {});
  const listed = await (await fetch(`${url}/calls?limit=1`, { headers: { authorization: `Bearer ${owner}` } })).json();
  const paths = [
    '',
    'approvals',
    'calls',
    `calls/${listed.calls[0]?.call}`,
    'tools',
    'tools/ping',
    'sources',
    'sources/notes',
    'policy',
    'audit',
    'metrics',
    'doctor',
    'connect',
    'connect/claude-code',
    'keys',
  ];
  for (const { colorScheme, width, height, suffix = '' } of [
    { colorScheme: 'light', width: 1200, height: 760 },
    { colorScheme: 'dark', width: 1200, height: 760 },
    { colorScheme: 'light', width: 390, height: 780, suffix: '-narrow' },
  ]) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height } });
    const page = await context.newPage();
    await page.goto(toolgate('console', '--print', '--url', url));
    await page.getByText('Live', { exact: true }).waitFor();
    for (const path of paths) {
      await page.goto(`${url}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(700);
      const name = path === '' ? 'now' : path.startsWith('calls/') ? 'call' : path.replace('/', '-');
      for (const detail of await page.locator('main details.finding').all())
        await detail.evaluate((each) => (each.open = true));
      await page.screenshot({
        path: join(target, `${name}-${colorScheme}${suffix}.png`),
        fullPage: suffix === '' && process.env.WHOLE === '1',
      });
    }
    await context.close();
  }
} finally {
  await browser.close();
  gate.kill();
  rmSync(folder, { recursive: true, force: true });
}
