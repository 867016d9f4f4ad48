import { editorSchema } from '../config/keys.js';
import { rulePage, rules } from '../scanner/index.js';
import { manifestSchema } from '../sources/mcp/registration/manifest-schema.js';
import { configurationPage, sectionPages } from './configuration.js';
import { errorsPage } from './errors.js';

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
  { path: 'docs/toolgate.schema.json', text: () => `${JSON.stringify(editorSchema(), null, 2)}\n` },
  ...rules.map((rule) => ({ path: `docs/rules/${rule.id}.md`, text: () => rulePage(rule) })),
  { path: 'docs/plugin-manifest.schema.json', text: () => `${JSON.stringify(manifestSchema, null, 2)}\n` },
];
