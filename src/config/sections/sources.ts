import { z } from 'zod';
import { identifier } from '../../lib/config-fields.js';
import type { SourceEntry } from '../../sources/kind.js';

/** Schema of `sources` for some kinds; each brings a strict object whose `kind` is its literal. */
export function sourcesSection(configs: readonly z.ZodObject[]) {
  // zod infers from a literal tuple; the kinds are known at run time only, and an entry is opaque outside of its kind.
  const byKind = z.discriminatedUnion as unknown as (
    key: 'kind',
    options: readonly z.ZodObject[],
  ) => z.ZodType<SourceEntry>;
  const source = configs.length === 0 ? z.never() : byKind('kind', configs);
  return z.record(identifier, source).default({}).describe('Further sources of tools by id; `kind` selects the type.');
}
