import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generated.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
for (const { path, text } of generatedFiles) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text());
  process.stdout.write(`${path}\n`);
}
