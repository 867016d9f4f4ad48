import { readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { processes } from '../../processes/index.js';
import type { TierReport } from '../../processes/index.js';
import { scanSandbox } from './sandbox.js';
import { scanRunner } from './runner.js';

const started = processes();
const { bwrapNoNetwork } = await started.tiers();
afterAll(() => started.close());

const server =
  'from fastmcp import FastMCP\nmcp = FastMCP("x")\n\n@mcp.tool\ndef hello(name: str) -> str:\n    return name\n';

async function aSource(): Promise<string> {
  const folder = temporaryFolder('apart');
  await writeFile(join(folder, 'server.py'), server);
  return folder;
}

/** What a program prints that is held as a reader of this folder is. */
async function printed(root: string, code: string, tiers: Pick<TierReport, 'bwrapNoNetwork'>): Promise<string> {
  const { spec } = await scanSandbox(root, tiers);
  const result = await started.run(
    { ...spec, args: ['--input-type=module', '-e', code], limits: {} },
    { timeoutMs: 60_000, maxStdoutBytes: 10_000, maxStderrBytes: 10_000, onCap: 'kill' },
  );
  return result.kind === 'finished' ? result.stdout.toString() : result.message;
}

describe.skipIf(!bwrapNoNetwork.available)('a reader of strange code, where bwrap works', () => {
  const listener = createServer((socket) => socket.destroy());
  beforeAll(() => new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve)));
  afterAll(() => void listener.close());
  const connect = (): string => `import { connect } from 'node:net';
    const socket = connect(${(listener.address() as AddressInfo).port}, '127.0.0.1');
    socket.on('connect', () => { console.log('connected'); socket.destroy(); }).on('error', ({ code }) => console.log(code));`;

  test('cannot connect to anything, not even to this machine; with limits only it could', async () => {
    const folder = await aSource();
    expect(await printed(folder, connect(), { bwrapNoNetwork })).toMatch(/^(?:ECONNREFUSED|ENETUNREACH)\n$/);
    const weak = { bwrapNoNetwork: { available: false, reason: 'x' } };
    expect(await printed(folder, connect(), weak)).toBe('connected\n');
  });

  test.each<[string, (root: string) => string]>([
    ['the code that it reads', (root) => `writeFileSync(${JSON.stringify(join(root, 'new.py'))}, 'x')`],
    ['our own code', () => `writeFileSync(${JSON.stringify(join(process.cwd(), 'dist/new.js'))}, 'x')`],
  ])('cannot write to %s', async (_what, code) => {
    const folder = await aSource();
    const tried = `import { writeFileSync } from 'node:fs'; try { ${code(folder)}; console.log('written'); } catch ({ code }) { console.log(code); }`;
    expect(await printed(folder, tried, { bwrapNoNetwork })).toBe('EROFS\n');
    expect(await readdir(folder)).toEqual(['server.py']);
  });

  test('sees no home folder and no other code', async () => {
    const [folder, other] = [await aSource(), await aSource()];
    // A clone below /root is mounted there itself.
    const rootHome = process.cwd().startsWith('/root/') ? [] : ['/root'];
    const hidden = [other, join(homedir(), '.ssh'), '/etc/passwd', ...rootHome];
    const code = `import { existsSync } from 'node:fs'; console.log(${JSON.stringify(hidden)}.filter((path) => existsSync(path)).join());`;
    expect(await printed(folder, code, { bwrapNoNetwork })).toBe('\n');
  });

  test('reads a folder, a folder behind a link, and a single file', async () => {
    const folder = await aSource();
    const link = join(temporaryFolder('link'), 'link');
    await symlink(folder, link);
    const read = scanRunner(started, (why) => expect.unreachable(why));
    for (const root of [folder, link, join(folder, 'server.py')]) {
      const reading = await read({ root, timeoutMs: 60_000, memoryMb: 512 });
      expect('unread' in reading ? reading : reading.surface.tools.map(({ name }) => name)).toEqual(['hello']);
    }
    expect((await scanSandbox(link, { bwrapNoNetwork })).root).toBe(await realpath(folder));
  });
});
