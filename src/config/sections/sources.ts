import { z } from 'zod';
import { httpSource } from './http-source.js';
import { mcpSource } from './mcp-source.js';
import { openapi } from './openapi.js';
import { identifier } from './fields.js';

/** Source kinds; one line per kind, with a strict object whose `kind` is its literal. */
const sourceKinds = {
  http: httpSource,
  mcp: mcpSource,
  openapi,
} as const satisfies Readonly<Record<string, z.ZodObject>>;

type Kinds = typeof sourceKinds;
/** One entry of `sources`, of whichever kind. */
type SourceConfig = { [Kind in keyof Kinds]: z.output<Kinds[Kind]> }[keyof Kinds];

const options: readonly z.ZodObject[] = Object.values(sourceKinds);
// zod infers from a literal tuple; the table above is the single list of kinds.
const byKind = z.discriminatedUnion as unknown as (
  key: 'kind',
  options: readonly z.ZodObject[],
) => z.ZodType<SourceConfig>;
const source = options.length === 0 ? z.never() : byKind('kind', options);

/** Further sources of tools by id. */
export const sources = z
  .record(identifier, source)
  .default({})
  .describe('Further sources of tools by id; `kind` selects the type.');
