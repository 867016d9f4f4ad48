import type { Args } from '../../core/call.js';
import { schemaContract } from '../../core/contract.js';
import type { Json, JsonObject } from '../../core/json.js';
import { done, refuse } from '../../core/outcome.js';
import { defaultLimits, readOnly, type Tool } from '../../core/tool.js';
import { namespaced } from '../../registry/naming.js';
import { said } from './model.js';
import { searchIndex, type Search } from './search.js';
import type { OperationTool } from './tool.js';
import { tidy } from './tool.js';
import { isRaw } from './values.js';

/** Stand-ins carry the source's id even where its tools do not: there is one of each per source. */
export interface StandInOptions {
  readonly id: string;
  readonly title: string;
  readonly tools: readonly OperationTool[];
}

const limits = { ...defaultLimits, concurrency: 16, ratePerMinute: 0 };

/** Finds operations by words; only those that this caller may know of. */
export function searchTool({ id, title, tools }: StandInOptions): Tool {
  let search: Search | undefined;
  return {
    name: namespaced(id, 'search'),
    title: 'Search operations',
    description: `Finds operations of ${tidy(title, 80) || id} (${tools.length} in all) by words of their name, path, tag or description. Then use ${namespaced(id, 'describe')} and ${namespaced(id, 'call')}.`,
    source: id,
    input: schemaContract({
      type: 'object',
      properties: {
        query: { type: 'string', maxLength: 500, description: 'Words to look for; empty lists everything' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: '10 unless told' },
        offset: { type: 'integer', minimum: 0 },
      },
      additionalProperties: false,
    }),
    effects: readOnly,
    limits,
    run(call) {
      search ??= searchIndex(tools);
      const found = search(String(call.args['query'] ?? ''), (tool) => call.sees?.(tool) ?? true);
      const offset = typeof call.args['offset'] === 'number' ? call.args['offset'] : 0;
      const page = found.slice(offset, offset + (typeof call.args['limit'] === 'number' ? call.args['limit'] : 10));
      return Promise.resolve(
        done([], {
          total: found.length,
          operations: page.map((tool) => ({
            name: tool.name,
            operation: said(tool.operation),
            description: tidy(tool.title ?? tool.description, 160),
          })),
        }),
      );
    },
  };
}

/** Tells everything about one operation, its whole input schema included. */
export function describeTool({ id, tools }: StandInOptions): Tool {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    name: namespaced(id, 'describe'),
    title: 'Describe an operation',
    description: 'Shows one operation with its whole input schema, without anything shortened.',
    source: id,
    input: schemaContract({
      type: 'object',
      properties: { name: { type: 'string', description: 'The name of the operation’s tool' } },
      required: ['name'],
      additionalProperties: false,
    }),
    effects: readOnly,
    limits: { ...limits, maxOutputBytes: 4 * 1_048_576 },
    run(call) {
      const tool = byName.get(String(call.args['name']));
      if (tool === undefined || !(call.sees?.(tool) ?? true))
        return Promise.resolve(
          refuse('invalid_arguments', `There is no operation of that name`, {
            hint: `Find one with ${namespaced(id, 'search')}`,
          }),
        );
      const described: JsonObject = {
        name: tool.name,
        operation: said(tool.operation),
        description: tidy(
          [tool.operation.summary, tool.operation.description].filter((text) => text !== undefined).join('\n') ||
            tool.description,
          16_384,
        ),
        tags: tool.operation.tags,
        effects: {
          read_only: !tool.effects.writes,
          destructive: tool.effects.destroys,
          idempotent: tool.effects.idempotent,
        },
        input_schema: tool.full(),
        output_schema: tool.output?.schema,
      };
      return Promise.resolve(done([], described));
    },
  };
}

/** Stands for any operation: the gateway runs the named one in its place, through every guard, as itself. */
export function callTool({ id, tools }: StandInOptions): Tool {
  const names = new Set(tools.map((tool) => tool.name));
  return {
    name: namespaced(id, 'call'),
    title: 'Call an operation',
    description: `Calls an operation by name with its arguments, as ${namespaced(id, 'describe')} shows them.`,
    source: id,
    input: schemaContract({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the operation’s tool' },
        arguments: { type: 'object', description: 'The arguments of the operation' },
      },
      required: ['name'],
      additionalProperties: false,
    }),
    effects: {
      reads: true,
      writes: true,
      destroys: true,
      idempotent: false,
      openWorld: true,
      labels: ['network', 'egress'],
    },
    limits,
    standsFor(args) {
      const { name, arguments: inner } = args;
      if (
        typeof name !== 'string' ||
        !names.has(name) ||
        (inner !== undefined && !isRaw(inner)) ||
        Object.keys(args).some((key) => key !== 'name' && key !== 'arguments')
      )
        return undefined;
      return { tool: name, args: (inner ?? {}) as Readonly<Record<string, Json>> satisfies Args }; // an object, as was just seen
    },
    // Reached only when the arguments name no operation.
    run: () =>
      Promise.resolve(
        refuse('invalid_arguments', 'There is no operation of that name, or its arguments are not an object', {
          hint: `Find one with ${namespaced(id, 'search')}`,
        }),
      ),
  };
}
