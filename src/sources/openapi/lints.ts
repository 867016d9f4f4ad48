import { resolve } from 'node:path';
import type { EntryFinding } from '../kind.js';
import type { OpenApiConfig } from './config.js';
import type { OpenApiSource } from './source.js';
import { openApiSource } from './source.js';

/** Notes that are shown; the others are counted. */
const mostNotes = 20;
/** Key of the entry that findings point to. */
const key = 'document';

/** Findings in a local API document. */
export async function documentFindings(
  id: string,
  source: OpenApiConfig,
  base: string,
): Promise<readonly EntryFinding[]> {
  const document = openApiSource({
    id,
    document: resolve(base, source.document),
    allowExternalRefs: source.allow_external_refs,
    maxDocumentBytes: source.max_document_bytes,
    ...(source.base_url !== undefined && { baseUrl: source.base_url }),
    ...(source.overlay !== undefined && { overlay: resolve(base, source.overlay) }),
    // Fails loudly, should the source ever try to send something during a check.
    openEgress: () => {
      throw new Error('toolgate check sends no requests');
    },
  });
  try {
    await document.list(new AbortController().signal);
  } catch (error) {
    return [
      {
        rule: 'openapi-document',
        severity: 'error',
        key,
        message: error instanceof Error ? error.message : String(error),
        hint: 'Correct the document or its path',
      },
    ];
  }
  return [...withheld(document), ...notes(document)];
}

/** Operations that are left out, except those that the operator excluded. */
const withheld = (document: OpenApiSource): readonly EntryFinding[] =>
  document
    .withheld()
    .filter(({ reason }) => reason !== 'hidden')
    .map(({ what, why }) => ({
      rule: 'openapi-withheld',
      severity: 'warning',
      key,
      message: `${what} is not offered: ${why}`,
      hint: 'See docs/guides/openapi.md for the reasons',
    }));

/** Deviations from the specification that the source works around. */
function notes(document: OpenApiSource): readonly EntryFinding[] {
  // Schemas are parsed lazily, and their notes appear only then.
  for (const tool of document.toolset()?.tools ?? []) tool.fullSchema();
  const all = document.notes();
  const shown = all.slice(0, mostNotes).map(({ where, reason, message }): EntryFinding => ({
    rule: 'openapi-note',
    severity: 'warning',
    key,
    message: `${where}: ${reason}: ${message}`,
    hint: 'The rest of the document is used unchanged',
  }));
  return all.length <= mostNotes
    ? shown
    : [
        ...shown,
        {
          rule: 'openapi-note',
          severity: 'warning',
          key,
          message: `and ${all.length - mostNotes} more of this kind`,
          hint: 'Correct the document where you can',
        },
      ];
}
