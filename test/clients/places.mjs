import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** A virtual environment that outlives checkouts. */
export const venv = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'toolgate-tests', 'python-clients-1');
export const python = join(venv, 'bin', 'python');
export const inspector = join(here, 'node_modules', '.bin', 'mcp-inspector');
export const clientFile = (name) => join(here, name);
