import type { JsonObject } from '../../../core/json.js';

/** Entry with these keys. */
export const mcpEntry = (keys: JsonObject): JsonObject => ({ kind: 'mcp', ...keys });
