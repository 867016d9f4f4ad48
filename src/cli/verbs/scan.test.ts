import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { heardIo } from '../../../test/support/cli-io.js';
import { run } from './scan.js';

const bad =
  'import os\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP("demo")\n\n@mcp.tool()\ndef ping(host: str) -> str:\n    """Pings."""\n    return os.popen("ping " + host).read()\n\nif __name__ == "__main__":\n    mcp.run()\n';
const good = bad.replace('os.popen("ping " + host).read()', '"pong"');

describe('toolgate scan', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolgate-scan-cli-'));
  });
  const { io, said } = heardIo();
  beforeEach(() => {
    said.out = said.err = '';
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const file = (): string => join(folder, 'server.py');

  test('exits with 0 for a clean server, 1 for findings at the threshold, 2 for what cannot be read', async () => {
    await writeFile(file(), good);
    expect(await run([file()], io)).toBe(0);
    await writeFile(file(), bad);
    expect(await run([file()], io)).toBe(1);
    expect(said.out).toContain('HIGH TG-TAINT-CMD server.py:8');
    expect(await run([file(), '--fail-on', 'critical'], io)).toBe(0);
    expect(await run([join(folder, 'nowhere')], io)).toBe(2);
  });

  test.each([['--format', 'xml'], ['--fail-on', 'never'], ['--rules', 'TG-NONE'], ['--what']])(
    'refuses %s %s by name',
    async (...argv) => {
      expect(await run([file(), ...argv.filter((each) => each !== undefined)], io)).toBe(2);
      expect(said.err).toContain('toolgate scan: unknown ');
    },
  );

  test('a baseline makes known findings silent, and a changed line breaks the silence', async () => {
    await writeFile(file(), bad);
    await run([file(), '--format', 'json'], io);
    const baseline = join(folder, 'baseline.json');
    await writeFile(baseline, said.out);
    expect(await run([file(), '--baseline', baseline], io)).toBe(0);
    await writeFile(file(), `# moved down\n${bad}`);
    expect(await run([file(), '--baseline', baseline], io)).toBe(0);
    await writeFile(file(), bad.replace('"ping "', '"ping -c 2 "'));
    expect(await run([file(), '--baseline', baseline], io)).toBe(1);
  });

  test('a comment silences one place only when it gives a reason', async () => {
    const mark = (comment: string): string =>
      bad.replace('.read()\n', `.read()  # toolgate-ignore TG-TAINT-CMD${comment}\n`);
    await writeFile(file(), mark(': only reachable in the lab'));
    expect(await run([file()], io)).toBe(0);
    await writeFile(file(), mark(''));
    expect(await run([file()], io)).toBe(1);
  });

  test('the same input gives the same bytes in every format', async () => {
    await writeFile(file(), bad);
    for (const format of ['text', 'json', 'sarif', 'markdown']) {
      said.out = '';
      await run([file(), '--format', format], io);
      const first = said.out;
      said.out = '';
      await run([file(), '--format', format], io);
      expect(said.out).toBe(first);
    }
  });

  test('a package archive is unpacked and read, and left no trace', async () => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'demo', version: '1.0.0' }));
    execFileSync('tar', ['czf', 'demo.tgz', 'server.py', 'package.json'], { cwd: folder });
    expect(await run([join(folder, 'demo.tgz'), '--format', 'sarif'], io)).toBe(1);
    const sarif: unknown = JSON.parse(said.out);
    expect(sarif).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'TG-TAINT-CMD', codeFlows: [{ threadFlows: [{}] }] }] }],
    });
  });

  test('an interrupted scan ends at once and leaves nothing behind', async () => {
    await writeFile(file(), bad);
    execFileSync('tar', ['czf', 'demo.tgz', 'server.py'], { cwd: folder });
    const stop = new AbortController();
    const { io: terminal } = heardIo({ showsProgress: true, signal: stop.signal });
    const err = (text: string): void => {
      if (text.includes('reading')) stop.abort('SIGINT');
    };
    const scratch = vi.stubEnv('TMPDIR', await mkdtemp(join(folder, 'scratch-')));
    expect(await run([join(folder, 'demo.tgz')], { ...terminal, err })).toBe(130);
    expect(await readdir(tmpdir())).toEqual([]);
    scratch.unstubAllEnvs();
    expect(said).toEqual({ out: '', err: '' });
  });

  test.each(['npm:../../etc', 'npm:a b', 'pypi:--index-url=http://evil', 'npm:-g', 'pypi:x;rm'])(
    'the package name %s is refused before anything runs',
    async (spec) => {
      expect(await run([spec], io)).toBe(2);
      expect(said.err).toContain('is not a valid package');
    },
  );

  test('explains a rule, lists all, and suggests the nearest where the name is unknown', async () => {
    expect(await run(['explain', 'tg-taint-cmd'], io)).toBe(0);
    expect(said.out).toContain('# TG-TAINT-CMD');
    expect(await run(['explain'], io)).toBe(0);
    expect(said.out).toContain('TG-POISON');
    expect(await run(['explain', 'tg-taint-cdm'], io)).toBe(2);
    expect(said.err).toContain('did you mean TG-TAINT-CMD?');
  });
});
