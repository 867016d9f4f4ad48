import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Reach } from './entry-formats.js';

/** The entry by which an assistant starts this program, or attaches to the gate of this configuration. */
export function stdioReach(
  configFile: string | undefined,
  env: NodeJS.ProcessEnv,
): Extract<Reach, { transport: 'stdio' }> {
  const home = env['TOOLGATE_HOME'];
  const args = [
    'serve',
    '--stdio',
    ...(configFile === undefined ? [] : ['--config', configFile]),
    ...(home === undefined || home === '' ? [] : ['--home', resolve(home)]),
  ];
  const program = realpathSync(process.argv[1] ?? '.');
  // Under npx the package name is used, since npx may prune its cached copy at any time.
  if (/[\\/]_npx[\\/]/.test(program)) return { transport: 'stdio', command: 'npx', args: ['-y', 'toolgate', ...args] };
  return { transport: 'stdio', command: process.execPath, args: [program, ...args] };
}
