import { resolve } from 'node:path';
import type { Config } from '../config/schema.js';
import type { Finding } from '../config/lints/finding.js';
import type { OpenApiSource } from '../sources/openapi/source.js';
import { openApiSource } from '../sources/openapi/source.js';

const mostNotes = 20;

/** What is wrong with the API documents in files that a configuration names; documents behind addresses are not fetched. */
export async function openApiFindings(config: Config, base: string): Promise<readonly Finding[]> {
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
        reach: () => {
          throw new Error('a check sends nothing');
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

const withheld = (path: string, document: OpenApiSource): readonly Finding[] =>
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

function notes(path: string, document: OpenApiSource): readonly Finding[] {
  // Schemas are read when they are looked at, and told of when they are read.
  for (const tool of document.toolset()?.tools ?? []) tool.full();
  const all = document.notes();
  const shown = all.slice(0, mostNotes).map(({ where, reason, message }): Finding => ({
    rule: 'openapi-note',
    severity: 'warning',
    path,
    message: `${where}: ${reason}: ${message}`,
    hint: 'The rest of the document is used as it is',
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
