import { rmSync } from 'node:fs';
import { tokenFromFile } from '../access/token-file.js';
import { load } from '../config/load.js';
import { problemLine } from '../config/problem.js';
import { homeOf, makeHome } from '../serve/home.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate token [path | show | renew] [--json] [--config file]

  path    prints where the gateway's token is kept (the default)
  show    prints the token itself
  renew   makes a new one; a running gateway takes it at its next start
`;

/** Shows or renews the gateway's own token. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await load({ env: io.env, argv, cwd: process.cwd() });
  if (!loaded.ok) {
    io.err(loaded.problems.map((problem) => `${problemLine(problem)}\n`).join(''));
    return 1;
  }
  const home = homeOf(io.env, loaded.config.state.directory);
  const path = loaded.config.auth.token_file ?? home.token;
  const asJson = loaded.rest.includes('--json');
  const [what = 'path', ...more] = loaded.rest.filter((word) => word !== '--json');
  if (more.length > 0 || !['path', 'show', 'renew'].includes(what)) {
    io.err(help);
    return 2;
  }
  makeHome(home);
  if (what === 'renew') rmSync(path, { force: true });
  const token = tokenFromFile(path);
  if (asJson) io.out(`${JSON.stringify({ path, ...(what === 'show' && { token }) })}\n`);
  else io.out(`${what === 'show' ? token : path}\n`);
  return 0;
}
