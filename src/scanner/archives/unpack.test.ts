import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { safeTarget, unpack } from './unpack.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-unpack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function tar(entries: readonly { readonly name: string; readonly type?: string; readonly text?: string }[]): Buffer {
  const blocks = entries.map(({ name, type = '0', text = '' }) => {
    const data = Buffer.from(text);
    const head = Buffer.alloc(512);
    head.write(name, 0, 100);
    head.write('0000644\0', 100);
    head.write(data.length.toString(8).padStart(11, '0'), 124);
    head.write(type, 156);
    head.write('ustar', 257);
    return Buffer.concat([head, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]));
}

const unpacked = async (bytes: Buffer, limits?: Parameters<typeof unpack>[2]) => {
  const archive = join(folder, 'a.tgz');
  await writeFile(archive, bytes);
  return unpack(archive, join(folder, 'out'), limits);
};

test('files are written and links, devices and folders are left out', async () => {
  expect(
    await unpacked(
      tar([
        { name: 'package/a.js', text: 'x' },
        { name: 'package/link', type: '2' },
        { name: 'package/dev', type: '3' },
      ]),
    ),
  ).toEqual({ files: 1 });
  expect(await readFile(join(folder, 'out/package/a.js'), 'utf8')).toBe('x');
  expect(await readdir(join(folder, 'out/package'))).toEqual(['a.js']);
});

test.each(['../x', 'a/../../x', '/etc/x', 'C:x', 'a\\..\\..\\x', '..'])(
  'an entry named %s is refused',
  async (name) => {
    expect(await unpacked(tar([{ name, text: 'x' }]))).toMatchObject({
      refused: expect.stringContaining('is outside the target folder') as string,
    });
    expect(safeTarget('/srv', name)).toBeUndefined();
  },
);

test('an archive that is too large unpacked, contains too many files or is corrupt is refused', async () => {
  const limits = { maxArchiveBytes: 1_000_000, maxTotalBytes: 100_000, maxFiles: 3 };
  expect(await unpacked(gzipSync(Buffer.alloc(5_000_000)), limits)).toEqual({
    refused: 'its unpacked size exceeds the limit',
  });
  expect(await unpacked(tar(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, text: 'x' }))), limits)).toEqual({
    refused: 'it contains too many files',
  });
  expect(await unpacked(Buffer.from('PK\u0003\u0004 nothing'))).toEqual({ refused: 'it is corrupt' });
  expect(await unpacked(Buffer.from('what is this'))).toEqual({ refused: 'it is not a gzip or zip archive' });
});

test('a name that comes twice is written once', async () => {
  expect(
    await unpacked(
      tar([
        { name: 'a', text: 'first' },
        { name: 'a', text: 'second' },
      ]),
    ),
  ).toEqual({ files: 1 });
  expect(await readFile(join(folder, 'out/a'), 'utf8')).toBe('first');
});
