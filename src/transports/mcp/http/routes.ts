import type { McpEndpoint } from './endpoint.js';
import type { Route } from '../../http/edge/route.js';

/** Routes of one MCP URL: GET, POST and DELETE. */
export const mcpRoutes = (endpoint: Pick<McpEndpoint, 'handle'>, path: string): readonly Route[] =>
  (['GET', 'POST', 'DELETE'] as const).map((method) => ({
    method,
    path,
    auth: 'principal',
    // Other content types are refused before the body is read (CSRF with forms).
    ...(method === 'POST' && { consumes: 'application/json' }),
    handle: (context) => endpoint.handle(context),
  }));

/** Routes of the deprecated HTTP+SSE transport of 2024-11-05. */
export function ssePairRoutes(
  endpoint: Pick<McpEndpoint, 'ssePair'>,
  streamPath: string,
  messagesPath: string,
): readonly Route[] {
  const pair = endpoint.ssePair(messagesPath);
  return [
    { method: 'GET', path: streamPath, auth: 'principal', handle: (context) => pair.openStream(context) },
    {
      method: 'POST',
      path: messagesPath,
      auth: 'principal',
      consumes: 'application/json',
      handle: (context) => pair.post(context),
    },
  ];
}
