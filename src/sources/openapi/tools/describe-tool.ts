import { textContent } from '../../../core/content.js';
import { schemaContract } from '../../../core/contract.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { done, refuse } from '../../../core/outcome.js';
import { readOnly, type Tool } from '../../../core/tool.js';
import { toNamespacedName } from '../../../registry/naming.js';
import { isRawObject } from '../document/fields.js';
import { operationLabel } from '../document/model.js';
import { dereference } from '../request/argument-plan.js';
import { abbreviateSchema } from '../schemas/abbreviate.js';
import type { Schema, SchemaConverter } from '../schemas/converter.js';
import { catalogLimits, type CatalogOptions } from './catalog-tools.js';
import { documentPart } from './operation-details.js';
import type { OperationTool } from './operation-tool.js';

/** Size of a description: a model reads all of it. */
const maxDescriptionBytes = 8_192;
const maxLevels = 12;

/** Describes one operation within a size limit; `at` leads into the parts that did not fit. */
export function describeTool({ id, tools, schemas }: CatalogOptions): Tool {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    name: toNamespacedName(id, 'describe'),
    title: 'Describe an operation',
    description: `Returns one operation with its input schema, at most ${maxDescriptionBytes / 1024} KiB. Parts that did not fit are listed under \`more\`; pass one of them as \`at\`.`,
    source: id,
    input: schemaContract({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Tool name of the operation' },
        at: {
          type: 'string',
          maxLength: 2_000,
          description: 'JSON pointer into the input schema, such as /properties/body; references are followed',
        },
        depth: {
          type: 'integer',
          minimum: 1,
          maximum: maxLevels,
          description: 'Levels to show; as many as fit by default',
        },
        original: {
          type: 'boolean',
          description: 'Return the operation as the API document has it, extensions included',
        },
      },
      required: ['name'],
      additionalProperties: false,
    }),
    effects: readOnly,
    limits: catalogLimits,
    run(call) {
      const { name, at = '', depth, original } = call.args;
      const tool = byName.get(String(name));
      if (tool === undefined || !(call.canSee?.(tool) ?? true))
        return Promise.resolve(
          refuse('invalid_arguments', 'Unknown operation', {
            hint: `Find one with ${toNamespacedName(id, 'search')}`,
          }),
        );
      if (original === true) return Promise.resolve(compact(documentPart(tool.operation, maxDescriptionBytes - 2_048)));
      const place = schemaAt(tool.inputSchema(), String(at), schemas);
      if (place === undefined)
        return Promise.resolve(
          refuse('invalid_arguments', `The input schema has nothing at ${JSON.stringify(at)}`, {
            hint: 'Use a pointer from `more`, or leave `at` out',
          }),
        );
      return Promise.resolve(
        compact(description(tool, place, String(at), typeof depth === 'number' ? depth : Infinity)),
      );
    },
  };

  function description(tool: OperationTool, place: Schema, at: string, depth: number): JsonObject {
    const head = at === '' ? headOf(tool) : { name: tool.name, at };
    const budget = maxDescriptionBytes - Buffer.byteLength(JSON.stringify(head)) - 64;
    // The pointers to what is left out are part of the answer.
    const tight = abbreviateSchema(place, schemas, budget, depth);
    const { schema, omitted } = tight.isAbbreviated ? abbreviateSchema(place, schemas, budget - 1_024, depth) : tight;
    return {
      ...head,
      input_schema: schema,
      ...(omitted.length > 0 && {
        more: fitting(
          omitted.map((pointer) => `${at}${pointer}`),
          900,
        ),
      }),
    };
  }
}

/** The description and hints of a tool as listed, so that overrides of the operator hold here too. */
const headOf = (tool: OperationTool): JsonObject => ({
  name: tool.name,
  operation: operationLabel(tool.operation),
  title: tool.title,
  description: tool.description,
  tags: tool.meta?.['toolgate/tags'],
  effects: {
    read_only: !tool.effects.writes,
    destructive: tool.effects.destroys,
    idempotent: tool.effects.idempotent,
  },
  output_schema: tool.output?.schema,
});

/** Data with the same as compact text: indentation would double what a model reads. */
const compact = (data: JsonObject) => done([textContent(JSON.stringify(data))], data);

/** As many texts as fit into a number of bytes. */
function fitting(texts: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes;
  return texts.filter((text) => (left -= Buffer.byteLength(text) + 3) >= 0);
}

/** The schema at a JSON pointer, with references followed on the way. */
function schemaAt(root: Schema, pointer: string, schemas: Pick<SchemaConverter, 'def'>): Schema | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let at: Json = root;
  for (const key of pointer === '' ? [] : pointer.slice(1).split('/')) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const holder: Json = isRawObject(at) ? dereference(at as Schema, schemas) : at;
    const next: unknown = Array.isArray(holder)
      ? /^\d{1,6}$/.test(name)
        ? holder[Number(name)]
        : undefined
      : isRawObject(holder) && Object.hasOwn(holder, name)
        ? holder[name]
        : undefined;
    if (next === undefined) return undefined;
    at = next as Json; // part of a converted schema
  }
  return isRawObject(at) ? (at as Schema) : undefined;
}
