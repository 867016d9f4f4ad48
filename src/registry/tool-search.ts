import type { Args, GuardedCall } from '../core/call.js';
import { schemaContract } from '../core/contract.js';
import type { Json, JsonObject } from '../core/json.js';
import { done, refuse } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import { defaultLimits, readOnly } from '../core/tool.js';
import { rankedSearch, type RankedSearch } from '../lib/search/ranked-search.js';
import type { Catalogue } from './registry.js';

/** Source of the search tools in rules and lists. */
const toolSearchSource = 'search';

/** Searching is cheap and local, so it has no rate limit. */
const searchLimits = { ...defaultLimits, concurrency: 16, ratePerMinute: 0 };
/** Results by default. */
const defaultHits = 8;
/** Characters of a description in a result. */
const maxDescription = 300;

/** The argument that names a tool. */
const nameField: JsonObject = {
  type: 'string',
  maxLength: 256,
  description: 'Name of the tool, as search_tools returns it',
};

/** Whether the caller of a search may see a tool; hidden tools must not be found. */
const seen = (call: GuardedCall, tool: Tool | undefined): tool is Tool =>
  tool !== undefined && tool.unavailable === undefined && call.canSee?.(tool) === true;

/** `search_tools`, `describe_tool` and `call_tool` over a catalogue; a caller finds exactly the tools that it may see. */
export function toolSearch({ tools }: Catalogue): readonly Tool[] {
  let search: RankedSearch<Tool> | undefined;
  // Built with the first search: most catalogues are listed whole.
  const index = (): RankedSearch<Tool> =>
    (search ??= rankedSearch(
      [...tools.values()].map((tool) => ({
        item: tool,
        names: [tool.name, tool.title ?? ''],
        fields: [
          { text: tool.name, weight: 2.5 },
          { text: tool.title ?? '', weight: 3 },
          { text: tool.description.split('\n', 1)[0] ?? '', weight: 1.5 },
          { text: tool.description, weight: 0.6 },
          { text: Object.keys(propertiesOf(tool)).join(' '), weight: 0.4 },
        ],
      })),
    ));
  const unknown = refuse('invalid_arguments', 'Unknown tool', { hint: 'Find one with search_tools' });
  return [
    {
      name: 'search_tools',
      title: 'Search tools',
      description: `Finds tools by plain words, such as "create an issue". Then use describe_tool for the arguments and call_tool to run one.`,
      source: toolSearchSource,
      input: schemaContract({
        type: 'object',
        properties: {
          query: { type: 'string', maxLength: 500, description: 'What the tool should do; empty lists all tools' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 50,
            description: `Maximum number of results; ${defaultHits} by default`,
          },
          offset: { type: 'integer', minimum: 0 },
        },
        additionalProperties: false,
      }),
      effects: readOnly,
      limits: searchLimits,
      run(call) {
        const hits = index()(String(call.args['query'] ?? ''), (tool) => seen(call, tool));
        const offset = typeof call.args['offset'] === 'number' ? call.args['offset'] : 0;
        const limit = typeof call.args['limit'] === 'number' ? call.args['limit'] : defaultHits;
        return Promise.resolve(
          done([], {
            total: hits.length,
            tools: hits.slice(offset, offset + limit).map(({ name, source, description }) => ({
              name,
              source,
              description: (description.split('\n', 1)[0] ?? '').slice(0, maxDescription),
            })),
          }),
        );
      },
    },
    {
      name: 'describe_tool',
      title: 'Describe a tool',
      description: 'Returns the description, the effects and the input schema of one tool.',
      source: toolSearchSource,
      input: schemaContract({
        type: 'object',
        properties: { name: nameField },
        required: ['name'],
        additionalProperties: false,
      }),
      effects: readOnly,
      limits: searchLimits,
      run(call) {
        // Unknown and hidden tools give the same error, so that names cannot be probed.
        const tool = tools.get(String(call.args['name']));
        if (!seen(call, tool)) return Promise.resolve(unknown);
        return Promise.resolve(
          done([], {
            name: tool.name,
            description: tool.description,
            source: tool.source,
            effects: { ...tool.effects, labels: [...tool.effects.labels] },
            input_schema: tool.input.schema as JsonObject, // a JSON schema
          }),
        );
      },
    },
    {
      name: 'call_tool',
      title: 'Call a tool',
      description: 'Calls a tool by name with its arguments, as describe_tool shows them.',
      source: toolSearchSource,
      input: schemaContract({
        type: 'object',
        properties: { name: nameField, arguments: { type: 'object', description: 'The arguments of the tool' } },
        required: ['name'],
        additionalProperties: false,
      }),
      // The worst case: clients decide by these hints whether to ask their user.
      effects: { reads: true, writes: true, destroys: true, idempotent: false, openWorld: true, labels: [] },
      limits: searchLimits,
      resolveTarget(args) {
        const { name, arguments: inner } = args;
        const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
        if (typeof name !== 'string' || (inner !== undefined && !isObject)) return undefined;
        // Unknown keys are left to the contract, which reports them.
        if (Object.keys(args).some((key) => key !== 'name' && key !== 'arguments')) return undefined;
        const target = tools.get(name);
        // A tool that itself stands in for others is resolved to the end: guards must see what really runs (confused deputy).
        const own = (inner ?? {}) as Readonly<Record<string, Json>> satisfies Args; // an object, checked above
        return target?.resolveTarget?.(own) ?? { tool: name, args: own };
      },
      // Reached only if the arguments do not have the right form.
      run: () => Promise.resolve(unknown),
    },
  ];
}

/** Properties of an input schema. */
function propertiesOf({ input }: Tool): Readonly<Record<string, unknown>> {
  const { properties } = input.schema as { readonly properties?: unknown };
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {};
}

/** Builds the search tools of each catalogue once; the same array until the catalogue changes. */
export function toolSearchCache(): typeof toolSearch {
  const built = new WeakMap<object, readonly Tool[]>();
  return (catalogue) => {
    let found = built.get(catalogue);
    if (found === undefined) built.set(catalogue, (found = toolSearch(catalogue)));
    return found;
  };
}
