import { resolve } from 'node:path';
import type { Config } from '../../config/schema.js';
import type { ConfigFinding } from '../../config/lints/lint.js';
import type { OpenApiSource } from '../../sources/openapi/source.js';
import { openApiSource } from '../../sources/openapi/source.js';

const mostNotes = 20;

/** Findings in the local API documents of a configuration; documents at URLs are not fetched. */
export async function openApiFindings(config: Config, base: string): Promise<readonly ConfigFinding[]> {
  const found = await Promise.all(
    Object.entries(config.sources).map(async ([id, source]) => {
      if (source.kind !== 'openapi' || /^https?:\/\//i.test(source.document)) return [];
      const path = `sources.${id}.document`;
      const document = openApiSource({
        id,
        document: resolve(base, source.document),
        allowExternalRefs: source.allow_external_refs,
        maxDocumentBytes: source.max_document_bytes,
        ...(source.base_url !== undefined && { baseUrl: source.base_url }),
        ...(source.overlay !== undefined && { overlay: resolve(base, source.overlay) }),
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
            severity: 'error' as const,
            path,
            message: error instanceof Error ? error.message : String(error),
            hint: 'Correct the document or its path',
          },
        ];
      }
      return [...withheld(path, document), ...notes(path, document)];
    }),
  );
  return found.flat();
}

const withheld = (path: string, document: OpenApiSource): readonly ConfigFinding[] =>
  document
    .withheld()
    .filter(({ reason }) => reason !== 'hidden')
    .map(({ what, why }) => ({
      rule: 'openapi-withheld',
      severity: 'warning',
      path,
      message: `${what} is not offered: ${why}`,
      hint: 'See docs/guides/openapi.md for the reasons',
    }));

function notes(path: string, document: OpenApiSource): readonly ConfigFinding[] {
  // Schemas are parsed lazily, and their notes appear only then.
  for (const tool of document.toolset()?.tools ?? []) tool.fullSchema();
  const all = document.notes();
  const shown = all.slice(0, mostNotes).map(({ where, reason, message }): ConfigFinding => ({
    rule: 'openapi-note',
    severity: 'warning',
    path,
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
          path,
          message: `and ${all.length - mostNotes} more of this kind`,
          hint: 'Correct the document where you can',
        },
      ];
}
