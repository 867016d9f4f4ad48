import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'toolgate-tests');

/** Virtual environments that outlive checkouts: clients of ours, and servers that stand behind us. */
export const venv = join(cache, 'python-clients-2');
export const serversVenv = join(cache, 'python-servers-1');
export const python = join(venv, 'bin', 'python');
export const serversPython = join(serversVenv, 'bin', 'python');
export const uv = join(serversVenv, 'bin', 'uv');
export const inspector = join(here, 'node_modules', '.bin', 'mcp-inspector');
export const clientFile = (name) => join(here, name);
