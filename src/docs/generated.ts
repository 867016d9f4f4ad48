import { editorSchema } from '../config/keys.js';
import { rulePage, rules } from '../scanner/index.js';
import { manifestSchema } from '../sources/mcp/manifest-schema.js';
import { configurationPage, sectionPages } from './configuration.js';
import { errorsPage } from './errors.js';

/** A file that is written by the code and never by hand. */
export interface Generated {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: () => string;
}

/** Every generated document; `npm run docs` writes them and a test fails when one is stale. */
export const generated: readonly Generated[] = [
  { path: 'docs/configuration.md', text: configurationPage },
  ...sectionPages().map(({ name, text }) => ({ path: `docs/configuration/${name}.md`, text: () => text })),
  { path: 'docs/errors.md', text: errorsPage },
  { path: 'docs/toolgate.schema.json', text: () => `${JSON.stringify(editorSchema(), null, 2)}\n` },
  ...rules.map((rule) => ({ path: `docs/rules/${rule.id}.md`, text: () => rulePage(rule) })),
  { path: 'docs/plugin-manifest.schema.json', text: () => `${JSON.stringify(manifestSchema, null, 2)}\n` },
];
