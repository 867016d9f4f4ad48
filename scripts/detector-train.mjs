// Trains the model of the injection detector. Usage: node scripts/detector-train.mjs --texts <folder> [--texts <folder>]
// Writes src/hostile-text/injection/model/weights.bin; the same texts give the same bytes. Needs a build in dist/ and no network.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionValues, readTexts } from './detector/texts.mjs';
import { trainModel } from './detector/train.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const injection = join(root, 'dist/hostile-text/injection');
const { normalise } = await import(join(injection, 'normalise.js'));
const { BUCKETS } = await import(join(injection, 'model/features.js'));
const { MIN_FEATURES, windowFeatures } = await import(join(injection, 'model/windows.js'));

const folders = optionValues('--texts');
if (folders.length === 0) {
  console.error('usage: node scripts/detector-train.mjs --texts <folder> [--texts <folder>]');
  process.exit(2);
}
const rows = readTexts(folders).map((row) => ({ ...row, windows: windowFeatures(normalise(row.text).text) }));
const { scale, bias, weights } = trainModel(rows, BUCKETS, MIN_FEATURES);
const bytes = Buffer.alloc(8 + weights.length);
bytes.writeFloatLE(scale, 0);
bytes.writeFloatLE(bias, 4);
Buffer.from(weights.buffer).copy(bytes, 8);
const target = optionValues('--out')[0] ?? join(root, 'src/hostile-text/injection/model/weights.bin');
writeFileSync(target, bytes);
console.log(
  `${rows.length} texts of ${new Set(rows.map((row) => row.origin)).size} origins; ${weights.filter(Boolean).length} weights; ` +
    `sha256 ${createHash('sha256').update(bytes).digest('hex')}`,
);
