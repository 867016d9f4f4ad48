import { editorSchema } from '../config/keys.js';
import { rulePage, rules } from '../scanner/index.js';
import { manifestSchema } from '../sources/mcp/registration/manifest-schema.js';
import { commandLinePage } from './command-line.js';
import { configurationPage, sectionPages } from './configuration.js';
import { errorsPage } from './errors.js';
import { guardChain, guardLines } from './guard-order.js';

/** A file generated from the code. */
interface GeneratedFile {
  /** Relative to the repository root. */
  readonly path: string;
  readonly text: () => string;
}

/** Every generated document; `npm run docs` writes them and a test fails when one is stale. */
export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'docs/configuration.md', text: configurationPage },
  ...sectionPages().map(({ name, text }) => ({ path: `docs/configuration/${name}.md`, text: () => text })),
  { path: 'docs/errors.md', text: errorsPage },
  { path: 'docs/command-line.md', text: commandLinePage },
  { path: 'docs/toolgate.schema.json', text: () => `${JSON.stringify(editorSchema(), null, 2)}\n` },
  ...rules.map((rule) => ({ path: `docs/rules/${rule.id}.md`, text: () => rulePage(rule) })),
  { path: 'docs/plugin-manifest.schema.json', text: () => `${JSON.stringify(manifestSchema, null, 2)}\n` },
];

/** A passage generated from the code inside of a page that is written by hand. */
interface GeneratedPassage {
  readonly path: string;
  /** The place of the passage: what stands before it, the passage, what stands behind it. */
  readonly place: RegExp;
  readonly text: () => string;
}

/** Every generated passage; written and tested like the generated files. */
export const generatedPassages: readonly GeneratedPassage[] = [
  { path: 'README.md', place: /(?<=```\n)door ▸[^`]*(?=\n```)/, text: guardChain },
  {
    path: 'docs/architecture.md',
    place: /(?<=\n guards\/pipeline\.ts[^\n]*\n)[^▼]*(?=\n {3}▼\n sources\/)/,
    text: guardLines,
  },
];

/** A page with its passage replaced; throws if the page has no place for it. */
export function withPassage(page: string, { path, place, text }: GeneratedPassage): string {
  if (!place.test(page)) throw new Error(`${path} has no place for its generated passage`);
  return page.replace(place, () => text());
}
