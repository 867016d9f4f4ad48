import { existsSync } from 'node:fs';
import { findConfigFile } from '../../config/load.js';
import { isLoopback } from '../../lib/loopback.js';
import type { Io } from '../io.js';
import type { Reach } from '../../assistants/entry-formats.js';
import { stdioReach } from '../../assistants/reach.js';

/** Options of `connect` and `import` that decide how the gateway is reached. */
interface ReachOptions {
  readonly http?: boolean;
  readonly url?: string;
  readonly config?: string;
}

/** How assistants reach the gateway: the entry that `connect` and `import` write. */
export async function gatewayReach(
  { http = false, url, config }: ReachOptions,
  io: Io,
): Promise<Reach | { readonly problem: string }> {
  if (http || url !== undefined) return httpReach(url ?? 'http://127.0.0.1:8080/mcp');
  const found = await findConfigFile(config === undefined ? [] : ['--config', config], io.env, process.cwd());
  // An assistant starts the gateway in a folder that it chooses, so the file must be named, and must exist.
  if (found !== undefined && !existsSync(found.path))
    return { problem: `${found.path} does not exist; toolgate init writes a configuration` };
  return stdioReach(found?.path, io.env);
}

function httpReach(url: string): Reach | { readonly problem: string } {
  // The URL is written into files of other programs, so it must not contain quotes or spaces that their formats would need to
  // escape.
  if (!/^https?:\/\/[^\s"'\\]+$/.test(url) || !URL.canParse(url))
    return { problem: '--url must be an http or https URL' };
  const { protocol, hostname } = new URL(url);
  // A bearer token over plain HTTP can be read by everything on the path.
  if (protocol === 'http:' && !isLoopback(hostname))
    return { problem: `--url ${url} would send the token unencrypted; use https` };
  return { transport: 'http', url };
}
