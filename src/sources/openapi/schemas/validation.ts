import type { Json } from '../../../core/json.js';
import { interpretSchema } from '../../../lib/json/schema-interpreter.js';
import type { SchemaViolation } from '../../../lib/json/schema.js';
import type { Schema, SchemaConverter } from './converter.js';

/** Steps to check arguments: enough for any reasonable schema, and bounded in time. */
const inputSteps = (text: number): number => Math.min(50_000 + 4 * text, 5_000_000);
/** Steps to check a reply, which only adds a remark: a few milliseconds of the event loop. */
const replySteps = 50_000;

/** Resolves the references of converted schemas. */
export const resolver =
  ({ def }: Pick<SchemaConverter, 'def'>) =>
  (ref: string): Schema =>
    def(ref.slice('#/$defs/'.length));

/** Violations of the arguments; arguments that cannot be checked within bounds are rejected. */
export function checkInput(
  schema: Schema,
  schemas: Pick<SchemaConverter, 'def'>,
  value: unknown,
): readonly SchemaViolation[] {
  return (
    interpretSchema({ schema, resolve: resolver(schemas) }, value, inputSteps(JSON.stringify(value)?.length ?? 0)) ?? [
      { field: '', keyword: 'schema', message: 'cannot be validated: nested references take too long' },
    ]
  );
}

/** Violations of a reply; none where it cannot be checked within bounds. */
export const checkReply = (
  schema: Schema,
  schemas: Pick<SchemaConverter, 'def'>,
  value: Json,
): readonly SchemaViolation[] => interpretSchema({ schema, resolve: resolver(schemas) }, value, replySteps) ?? [];
