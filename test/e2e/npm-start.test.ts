import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Resolves with the first match in what a program writes to stderr or stdout. */
const seen = (child: ReturnType<typeof spawn>, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      const found = pattern.exec(text);
      if (found) resolve(found[1] ?? found[0]);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', () => reject(new Error(`ended before ${String(pattern)}:\n${text}`)));
  });

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => true,
    () => false,
  );

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'killing npm with %s ends the gateway that npm start runs',
  { timeout: 120_000 },
  async (signal) => {
    const home = mkdtempSync(join(tmpdir(), 'toolgate-npm-start-'));
    const npm = spawn('npm', ['start'], {
      cwd: root,
      env: { ...process.env, TOOLGATE_HOME: home, MCP_SERVER_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const url = await seen(npm, /Toolgate listens on (http:\S+)/);
      expect(await answers(url)).toBe(true);
      npm.kill(signal);
      await expect.poll(() => answers(url), { timeout: 60_000 }).toBe(false);
    } finally {
      npm.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true });
    }
  },
);
