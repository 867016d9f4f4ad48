import type { JsonObject } from '../../../core/json.js';

/** Options of `toolgate sources add`. */
export interface AddedServer {
  readonly url?: string;
  readonly package?: string;
  readonly runtime?: string;
  readonly command?: string;
}

/** Entry of a server given on the command line. */
export const addedEntry = (server: AddedServer, args: readonly string[]): JsonObject => ({
  kind: 'mcp',
  ...(server.url !== undefined && { url: server.url }),
  ...(server.package !== undefined && { runtime: server.runtime ?? 'npx', package: server.package }),
  ...(server.command !== undefined && { command: server.command }),
  ...(args.length > 0 && { args }),
});
