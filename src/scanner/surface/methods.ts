import type { Value } from '../evaluate/values/values.js';

/** Request schemas of the SDK with their methods. */
const bySchema = new Map([
  ['ListToolsRequestSchema', 'tools/list'],
  ['CallToolRequestSchema', 'tools/call'],
  ['ListResourcesRequestSchema', 'resources/list'],
  ['ListResourceTemplatesRequestSchema', 'resources/templates/list'],
  ['ReadResourceRequestSchema', 'resources/read'],
  ['ListPromptsRequestSchema', 'prompts/list'],
  ['GetPromptRequestSchema', 'prompts/get'],
]);
/** All methods that a schema can stand for. */
const methodNames = new Set(bySchema.values());

/** The protocol method of a request schema: by the schema's name, or by the literal inside it if a bundler has renamed it. */
export function methodNameIn(schema: Value): string | undefined {
  const open: { readonly value: Value; readonly depth: number }[] = [{ value: schema, depth: 0 }];
  // Breadth-first and bounded: bundled schemas are large, cyclic object graphs.
  for (let at = open.shift(), seen = 0; at && seen < 400; at = open.shift(), seen += 1) {
    const { value, depth } = at;
    const push = (inner: Value | undefined) => {
      if (inner && depth < 7) open.push({ value: inner, depth: depth + 1 });
    };
    if (value.kind === 'constant' && typeof value.value === 'string' && methodNames.has(value.value))
      return value.value;
    if (value.kind === 'external') {
      const found = bySchema.get(value.path.at(-1) ?? '');
      if (found !== undefined) return found;
    }
    if (value.kind === 'result') {
      value.args.positional.forEach(push);
      // The base schema is searched last, because the schema's own method takes precedence.
      push(value.receiver);
    } else if (value.kind === 'object')
      push(
        value.props.get('method') ??
          value.props.get('shape') ??
          value.props.get('_def') ??
          value.props.get('def') ??
          value.props.get('value') ??
          value.props.get('values'),
      );
    else if (value.kind === 'list') value.items.slice(0, 5).forEach(push);
    else if (value.kind === 'choice') value.options.forEach(push);
  }
  return undefined;
}
