import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles, generatedPassages, withPassage } from './generated.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
for (const { path, text } of generatedFiles) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text());
  process.stdout.write(`${path}\n`);
}
for (const passage of generatedPassages) {
  const file = join(root, passage.path);
  writeFileSync(file, withPassage(readFileSync(file, 'utf8'), passage));
  process.stdout.write(`${passage.path}\n`);
}
