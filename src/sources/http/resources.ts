import type { Args } from '../../core/call.js';
import { toReadableText } from '../../core/content.js';
import type { Json } from '../../core/json.js';
import type { Done } from '../../core/outcome.js';
import type { Resource, ResourceTemplate, ToolProjection } from '../../core/prompt.js';
import type { Tool } from '../../core/tool.js';
import type { EndpointDeclaration, Parameter } from './declarations.js';
import { pathTemplate } from './requests/path-template.js';

/** A GET endpoint as a resource, or as a resource template if it takes arguments. */
type ResourceProjection = { readonly resource: Resource } | { readonly template: ResourceTemplate };

/** Exposes a tool as a resource; reading it is a call of the tool with the arguments in the URI. */
export function projectResource(
  source: string,
  declared: EndpointDeclaration,
  tool: Tool,
  pollMs: number,
): ResourceProjection {
  const base = `toolgate://${source}/${encodeURIComponent(declared.name)}`;
  const inPath = pathTemplate(declared.path).names;
  // Arguments that are not part of the path go into the query of the URI.
  const others = declared.parameters.map(({ name }) => name).filter((name) => !inPath.includes(name));
  const common = {
    name: tool.name,
    description: tool.description,
    source,
    ...(tool.title !== undefined && { title: tool.title }),
  };
  const toArgs = (uri: string): Args | undefined => parseResourceArguments(uri, base, inPath, declared.parameters);
  const read: ToolProjection = { tool: tool.name, toArgs, toContents, pollMs };
  if (declared.parameters.length === 0) return { resource: { ...common, uri: base, read } };
  const uriTemplate = `${base}${inPath.map((name) => `/{${name}}`).join('')}${others.length === 0 ? '' : `{?${others.join(',')}}`}`;
  return { template: { ...common, uriTemplate, matches: (uri) => toArgs(uri) !== undefined, read } };
}

/** The response of the service as contents: an image or sound as it is, else the `output` field of the data. */
function toContents(uri: string, { content, data }: Done): Json {
  for (const part of content)
    if (part.type === 'image' || part.type === 'audio') return { uri, mimeType: part.mimeType, blob: part.data };
  const output =
    typeof data === 'object' && data !== null && 'output' in data ? data['output'] : toReadableText(content);
  return { uri, mimeType: 'application/json', text: typeof output === 'string' ? output : JSON.stringify(output) };
}

/** Arguments in a URI; undefined if the URI does not belong to this endpoint or a value has the wrong type. */
function parseResourceArguments(
  uri: string,
  base: string,
  inPath: readonly string[],
  parameters: readonly Parameter[],
): Record<string, Json> | undefined {
  // Bounded before decoding; URIs come from clients.
  if (!uri.startsWith(base) || uri.length > 8_192) return undefined;
  const [path = '', query = '', ...rest] = uri.slice(base.length).split('?');
  const segments = path.split('/').slice(1);
  if (rest.length > 0 || (path !== '' && !path.startsWith('/')) || segments.length !== inPath.length) return undefined;
  try {
    const texts = [
      ...inPath.map((name, at) => [name, decodeURIComponent(segments[at] ?? '')] as const),
      ...new URLSearchParams(query),
    ];
    const args: Record<string, Json> = {};
    for (const [name, text] of texts) {
      const type = parameters.find((parameter) => parameter.name === name)?.type;
      // A repeated name is ambiguous and is rejected instead of choosing one.
      if (type === undefined || Object.hasOwn(args, name)) return undefined;
      args[name] = type === 'string' ? text : (JSON.parse(text) as Json); // JSON.parse returns JSON
    }
    return args;
  } catch {
    return undefined; // an invalid escape, or a value of another type
  }
}
