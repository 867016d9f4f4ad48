import type { Config } from '../config/schema.js';

/** Configuration entry of an upstream MCP server. */
export type McpConfig = Extract<Config['sources'][string], { readonly kind: 'mcp' }>;
