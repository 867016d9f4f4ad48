import { z } from 'zod';
import { httpSource } from './http-source.js';
import { mcpSource } from './mcp-source.js';
import { openapi } from './openapi.js';
import { name } from './words.js';

/** The kinds of sources a file may name; a kind is one line here, with a strict object whose `kind` is its literal. */
export const sourceKinds = {
  http: httpSource,
  mcp: mcpSource,
  openapi,
} as const satisfies Readonly<Record<string, z.ZodObject>>;

type Kinds = typeof sourceKinds;
/** One entry of `sources`, of whichever kind. */
export type SourceConfig = { [Kind in keyof Kinds]: z.output<Kinds[Kind]> }[keyof Kinds];

const options: readonly z.ZodObject[] = Object.values(sourceKinds);
// The library wants its options as a tuple and infers from their names; which kinds there are is the table's business.
const byKind = z.discriminatedUnion as unknown as (
  key: 'kind',
  options: readonly z.ZodObject[],
) => z.ZodType<SourceConfig>;
const source = options.length === 0 ? z.never() : byKind('kind', options);

/** Where further tools come from, by source id. */
export const sources = z
  .record(name, source)
  .default({})
  .describe('Where further tools come from, by id; `kind` says how.');
