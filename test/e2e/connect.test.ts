import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, expect, test } from 'vitest';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'toolgate-e2e-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test(
  'the snippet that connect prints starts a gateway in which an assistant finds and uses ping',
  { timeout: 60_000 },
  async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, TOOLGATE_HOME: home };
    const printed = JSON.parse(execFileSync(process.execPath, [cli, 'connect', '--print'], { encoding: 'utf8', env }));
    const { command, args } = printed.mcpServers.toolgate;
    const transport = new StdioClientTransport({ command, args, env, stderr: 'pipe' });
    let log = '';
    transport.stderr?.on('data', (chunk) => (log += String(chunk)));
    const client = new Client({ name: 'assistant', version: '1' });
    await client.connect(transport);
    expect(client.getServerVersion()?.name).toBe('toolgate');
    const { tools } = await client.listTools();
    // Where the machine has no ping at all, the tool is withheld and the log says so.
    if (tools.some((tool) => tool.name === 'ping')) {
      const answer = await client.callTool({ name: 'ping', arguments: { target: '127.0.0.1', count: 1 } });
      expect(Array.isArray(answer.content) && answer.content.length > 0).toBe(true);
    } else expect(log).toContain('ping');
    await client.close();
    expect(log).toMatch(/attached to gate \d+/);
    // The assistant started a gate in the background; it would end by itself only when idle.
    execFileSync(process.execPath, [cli, 'stop'], { encoding: 'utf8', env });
  },
);
