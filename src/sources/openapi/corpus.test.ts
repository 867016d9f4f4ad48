import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedPath } from '../../../test/support/shared.js';
import { never } from '../../../test/support/make.js';
import { localEgress } from '../../../test/support/gates.js';
import { unresolvedReferences } from '../../../test/support/openapi.js';
import { schemaValidator } from '../../lib/json/schema.js';
import { definitionBytes } from './tools/listing.js';
import { openApiSource } from './source.js';

const folder = sharedPath('corpus/openapi');
const documents = folder === undefined ? [] : readdirSync(folder).filter((file) => file !== 'index.json');
const facts =
  folder === undefined
    ? []
    : (JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
        readonly file: string;
        readonly operations: number;
      }[]);

describe.skipIf(folder === undefined)('real documents', () => {
  test.each(documents)(
    '%s: every operation is a tool or withheld with a reason, and no definition is over its budget [S1.1]',
    async (file) => {
      const source = openApiSource({
        id: 'api',
        document: join(folder ?? '', file),
        baseUrl: 'https://api.test/v1',
        openEgress: () => localEgress(),
      });
      await source.list(never);
      const set = source.toolset();
      const tools = set?.tools ?? [];
      expect(tools.length + source.withheld().length).toBe(facts.find((each) => each.file === file)?.operations);
      expect(source.withheld()).toEqual([]);
      expect(new Set(tools.map(({ name }) => name.toLowerCase())).size).toBe(tools.length);
      for (const tool of tools) {
        expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(definitionBytes(tool)).toBeLessThanOrEqual(8_192);
        expect(unresolvedReferences(tool.input.schema)).toEqual([]);
        expect(
          tool.operation.body === undefined || JSON.stringify(tool.input.schema['properties']).includes('ody'),
        ).toBe(true);
      }
      for (const tool of tools.slice(0, 15)) {
        expect(() => schemaValidator(tool.fullSchema())({})).not.toThrow();
        expect(() => schemaValidator(tool.input.schema)({})).not.toThrow();
      }
      await source.close?.();
    },
    60_000,
  );
});
