import type { Args } from '../../../core/call.js';
import { schemaContract } from '../../../core/contract.js';
import type { Json } from '../../../core/json.js';
import { done, refuse } from '../../../core/outcome.js';
import { defaultLimits, readOnly, worstEffects, type Tool } from '../../../core/tool.js';
import { toNamespacedName } from '../../../registry/naming.js';
import { operationLabel } from '../document/model.js';
import { searchIndex, type OperationSearch } from './search-index.js';
import type { OperationTool } from './operation-tool.js';
import type { SchemaConverter } from '../schemas/converter.js';
import { cleanText } from '../schemas/prose.js';
import { isRawObject } from '../document/fields.js';

/** Catalog tools are always prefixed with the source id, since each source has its own. */
export interface CatalogOptions {
  readonly id: string;
  readonly title: string;
  readonly tools: readonly OperationTool[];
  readonly schemas: Pick<SchemaConverter, 'def'>;
}

export const catalogLimits = { ...defaultLimits, concurrency: 16, ratePerMinute: 0 };

/** Searches operations by keyword, limited to those the caller may use. */
export function searchTool({ id, title, tools }: CatalogOptions): Tool {
  let search: OperationSearch | undefined;
  return {
    name: toNamespacedName(id, 'search'),
    title: 'Search operations',
    description: `Finds operations of ${cleanText(title, 80) || id} (${tools.length} in all) by keywords in their name, path, tags or description. Then use ${toNamespacedName(id, 'describe')} and ${toNamespacedName(id, 'call')}.`,
    source: id,
    input: schemaContract({
      type: 'object',
      properties: {
        query: { type: 'string', maxLength: 500, description: 'Keywords; empty lists all operations' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Maximum number of results; 10 by default' },
        offset: { type: 'integer', minimum: 0 },
      },
      additionalProperties: false,
    }),
    effects: readOnly,
    limits: catalogLimits,
    run(call) {
      search ??= searchIndex(tools);
      const matches = search(String(call.args['query'] ?? ''), (tool) => call.canSee?.(tool) ?? true);
      const offset = typeof call.args['offset'] === 'number' ? call.args['offset'] : 0;
      const page = matches.slice(offset, offset + (typeof call.args['limit'] === 'number' ? call.args['limit'] : 10));
      return Promise.resolve(
        done([], {
          total: matches.length,
          operations: page.map((tool) => ({
            name: tool.name,
            operation: operationLabel(tool.operation),
            description: cleanText(tool.title ?? tool.description, 160),
          })),
        }),
      );
    },
  };
}

/** Calls an operation by name; the gateway resolves it before the guards, which see the named operation. */
export function callTool({ id, tools }: CatalogOptions): Tool {
  const names = new Set(tools.map((tool) => tool.name));
  return {
    name: toNamespacedName(id, 'call'),
    title: 'Call an operation',
    description: `Calls an operation by name with its arguments, as ${toNamespacedName(id, 'describe')} shows them.`,
    source: id,
    input: schemaContract({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Tool name of the operation' },
        arguments: { type: 'object', description: 'The arguments of the operation' },
      },
      required: ['name'],
      additionalProperties: false,
    }),
    effects: { ...worstEffects, labels: ['network', 'egress'] },
    limits: catalogLimits,
    resolveTarget(args) {
      const { name, arguments: inner } = args;
      if (
        typeof name !== 'string' ||
        !names.has(name) ||
        (inner !== undefined && !isRawObject(inner)) ||
        Object.keys(args).some((key) => key !== 'name' && key !== 'arguments')
      )
        return undefined;
      return { tool: name, args: (inner ?? {}) as Readonly<Record<string, Json>> satisfies Args }; // an object, checked above
    },
    // Reached only if the arguments do not name an operation.
    run: () =>
      Promise.resolve(
        refuse('invalid_arguments', 'Unknown operation, or its arguments are not an object', {
          hint: `Find one with ${toNamespacedName(id, 'search')}`,
        }),
      ),
  };
}
