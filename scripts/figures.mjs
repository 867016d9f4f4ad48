// npm run figures: writes what the last bench measured into the documents, between <!--fig part/path--> and <!--/fig-->.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

function measured(path) {
  const [part, ...steps] = path.split('/');
  const { figures } = JSON.parse(readFileSync(join(root, 'bench/results', `${part}.json`), 'utf8'));
  const value = steps.reduce((at, step) => at?.[step], figures);
  if (typeof value !== 'number') throw new Error(`${path} was not measured`);
  return value;
}

for (const document of documents) {
  const file = join(root, document);
  const before = readFileSync(file, 'utf8');
  const after = before.replaceAll(
    /<!--fig ([^>]+?)-->(.*?)<!--\/fig-->/g,
    (_whole, path, shown) => `<!--fig ${path}-->${measured(path).toFixed(shown.split('.')[1]?.length ?? 0)}<!--/fig-->`,
  );
  if (after !== before) {
    writeFileSync(file, after);
    console.log(document);
  }
}
