import type { McpEndpoint } from './endpoint.js';
import type { Exchange } from './exchange.js';

/** The three HTTP methods of one MCP URL, as the listener takes routes. */
export const mcpRoutes = (
  endpoint: Pick<McpEndpoint, 'handle'>,
  path: string,
): readonly { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string; readonly auth: 'principal'; handle(exchange: Exchange): void | Promise<void> }[] =>
  (['GET', 'POST', 'DELETE'] as const).map((method) => ({ method, path, auth: 'principal', handle: (exchange) => endpoint.handle(exchange) }));
