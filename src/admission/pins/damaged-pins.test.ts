import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { pinFiles } from './pin-files.js';

const whole = JSON.stringify({ source: 'up', identity: 'x', pins: {}, pending: {} });

/** What can happen to a file of the home. */
const damages: Readonly<Record<string, (path: string) => void>> = {
  'cut to 0': (path) => writeFileSync(path, ''),
  half: (path) => writeFileSync(path, whole.slice(0, whole.length / 2)),
  random: (path) => writeFileSync(path, Buffer.from([0xff, 0x00, 0x9c, 0x31])),
  'another JSON value': (path) => writeFileSync(path, 'null'),
  'a list': (path) => writeFileSync(path, '{"pins":[],"pending":{}}'),
  'a link to nowhere': (path) => symlinkSync('/nowhere/at/all', path),
  'a folder': (path) => mkdirSync(path),
};

test.each(Object.entries(damages))(
  'a pin file that is %s is named with path and remedy, and never replaced',
  (_, damage) => {
    const folder = temporaryFolder();
    const path = join(folder, 'up.json');
    damage(path);
    const files = pinFiles(folder);
    const named = new RegExp(
      `^${path} is damaged: .+; restore it from a backup, or remove it to pin what up offers now$`,
    );
    expect(() => files.read('up')).toThrow(named);
    expect(() => files.update('up', () => ({ source: 'up', identity: 'x', pins: {}, pending: {} }))).toThrow(named);
    expect(() => files.read('up')).toThrow(named);
  },
);

test('a file that is absent is no damage, and a link elsewhere is followed', () => {
  const folder = temporaryFolder();
  expect(pinFiles(folder).read('up')).toBeUndefined();
  const elsewhere = join(temporaryFolder(), 'kept.json');
  writeFileSync(elsewhere, whole);
  symlinkSync(elsewhere, join(folder, 'up.json'));
  expect(pinFiles(folder).read('up')).toEqual(JSON.parse(readFileSync(elsewhere, 'utf8')));
});
