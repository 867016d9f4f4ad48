import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { maskWatch } from './mask-watch.js';

function watched(paths: {
  readonly hidden?: string[];
  readonly masked?: string[];
  readonly more?: string[];
  readonly rewritten?: string[];
}) {
  const found: string[] = [];
  const masks = maskWatch(
    { hidden: paths.hidden ?? [], masked: paths.masked ?? [], readOnly: [], rewritten: paths.rewritten ?? [] },
    10,
  );
  onTestFinished(() => masks.close());
  const stop = masks.add(paths.more ?? [], (path) => void found.push(path));
  return { found, stop };
}

test('a file that is replaced by a rename, created, or led to by another link is reported; one that is written in place is not', async () => {
  const folder = temporaryFolder('masks');
  const at = (name: string): string => join(folder, name);
  for (const name of ['hidden', 'masked', 'more', 'written', 'one', 'two']) writeFileSync(at(name), name);
  symlinkSync(at('one'), at('link'));
  mkdirSync(at('folder'));
  const { found } = watched({
    hidden: [at('hidden'), at('written'), at('link')],
    masked: [at('masked'), at('absent'), at('folder')],
    more: [at('more')],
  });
  writeFileSync(at('written'), 'other text');
  writeFileSync(at('folder/inside'), 'text');
  const expected: string[] = [];
  const replace = async (name: string): Promise<void> => {
    writeFileSync(at('new'), name);
    renameSync(at('new'), at(name));
    expected.push(at(name));
    await expect.poll(() => found).toEqual(expected);
  };
  for (const name of ['hidden', 'masked', 'more', 'absent', 'hidden']) await replace(name);
  symlinkSync(at('two'), at('newlink'));
  renameSync(at('newlink'), at('link'));
  await expect.poll(() => found.slice(expected.length)).toEqual([at('link')]);
  unlinkSync(at('masked'));
  rmSync(at('folder'), { recursive: true });
  mkdirSync(at('folder'));
  await expect.poll(() => found.at(-1)).toBe(at('folder'));
});

test('nothing is reported after the end', async () => {
  const folder = temporaryFolder('masks');
  const path = join(folder, 'secret');
  writeFileSync(path, '1');
  const first = watched({ masked: [path] });
  const second = watched({ masked: [path] });
  first.stop();
  writeFileSync(join(folder, 'new'), '2');
  renameSync(join(folder, 'new'), path);
  await expect.poll(() => second.found).toEqual([path]);
  expect(first.found).toEqual([]);
});

test('a file that the gateway itself rewrites is not reported', async () => {
  const folder = temporaryFolder('masks');
  const [own, other] = [join(folder, 'toolgate.lock.json'), join(folder, 'token')];
  const { found } = watched({ hidden: [own, other], rewritten: [own] });
  writeFileSync(own, '{}');
  writeFileSync(other, 'new');
  await expect.poll(() => found).toEqual([other]);
});
