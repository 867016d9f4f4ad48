import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** State folder: as configured (file, `TOOLGATE_HOME` or `--home`), else `~/.toolgate`. */
export const stateFolder = (env: NodeJS.ProcessEnv, configured?: string): string =>
  resolve(configured || join(env['HOME'] || homedir(), '.toolgate'));
