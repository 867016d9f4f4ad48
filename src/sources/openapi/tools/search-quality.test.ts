import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localEgress } from '../../../../test/support/gates.js';
import { never } from '../../../../test/support/make.js';
import { laterQuestions } from '../../../../test/support/search/later-questions.js';
import { questions } from '../../../../test/support/search/questions.js';
import { sharedPath } from '../../../../test/support/shared.js';
import { operationLabel } from '../document/model.js';
import { openApiSource } from '../source.js';
import { searchIndex } from './search-index.js';

const folder = process.env['OPENAPI_DOCUMENTS'] ?? sharedPath('corpus/openapi');

describe.skipIf(folder === undefined)('plain questions over public documents', () => {
  test.each([
    ['written before the ranking', questions, 100],
    ['written after it', laterQuestions, 50],
  ])(
    '%s: the right operation is nearly always in the first five, and mostly first',
    async (_, asked, least) => {
      const places: { readonly place: number; readonly isHeldOut: boolean; readonly line: string }[] = [];
      for (const [file, own] of Object.entries(asked)) {
        const source = openApiSource({
          id: 'api',
          document: join(folder ?? '', file),
          baseUrl: 'https://api.test/v1',
          openEgress: () => localEgress(),
        });
        await source.list(never);
        const search = searchIndex(source.toolset()?.tools ?? []);
        for (const [index, [question, wanted]] of own.entries()) {
          const found = search(question).map(({ operation }) => [operation.operationId, operationLabel(operation)]);
          const place = found.findIndex((names) => names.includes(wanted));
          places.push({ place, isHeldOut: index % 2 === 1, line: `${place + 1}: ${question} → ${wanted}` });
        }
        await source.close?.();
      }
      const share = (within: number, of: typeof places): number =>
        of.filter(({ place }) => place >= 0 && place < within).length / of.length;
      const heldOut = places.filter(({ isHeldOut }) => isHeldOut);
      const missed = places.filter(({ place }) => place !== 0).map(({ line }) => line);
      console.log(
        `first ${(100 * share(1, places)).toFixed(0)} %, first five ${(100 * share(5, places)).toFixed(0)} % of ${places.length}; held out ${(100 * share(1, heldOut)).toFixed(0)} %, ${(100 * share(5, heldOut)).toFixed(0)} %`,
      );
      expect(places.length).toBeGreaterThanOrEqual(least);
      expect(share(1, places), missed.join('\n')).toBeGreaterThanOrEqual(0.65);
      expect(share(5, places), missed.join('\n')).toBeGreaterThanOrEqual(0.85);
      expect(share(1, heldOut)).toBeGreaterThanOrEqual(0.65);
      expect(share(5, heldOut)).toBeGreaterThanOrEqual(0.85);
    },
    120_000,
  );
});
