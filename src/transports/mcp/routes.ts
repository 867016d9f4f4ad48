import type { McpEndpoint } from './endpoint.js';
import type { Exchange } from './exchange.js';

/** A route as the listener takes it. */
export interface McpRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly auth: 'principal';
  handle(exchange: Exchange): void | Promise<void>;
}

/** The three HTTP methods of one MCP URL. */
export const mcpRoutes = (endpoint: Pick<McpEndpoint, 'handle'>, path: string): readonly McpRoute[] =>
  (['GET', 'POST', 'DELETE'] as const).map((method) => ({
    method,
    path,
    auth: 'principal',
    handle: (exchange) => endpoint.handle(exchange),
  }));

/** The two URLs of the deprecated HTTP+SSE transport, for clients of 2024-11-05. */
export function ssePairRoutes(
  endpoint: Pick<McpEndpoint, 'ssePair'>,
  streamPath: string,
  messagesPath: string,
): readonly McpRoute[] {
  const pair = endpoint.ssePair(messagesPath);
  return [
    { method: 'GET', path: streamPath, auth: 'principal', handle: (exchange) => pair.openStream(exchange) },
    { method: 'POST', path: messagesPath, auth: 'principal', handle: (exchange) => pair.post(exchange) },
  ];
}
