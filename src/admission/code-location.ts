import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { resolveProgram } from '../processes/index.js';
import type { LaunchCommand } from '../sources/mcp/channels/local-channel.js';
import type { McpConfig } from '../sources/mcp/config.js';
import { scriptFromShebang, scriptFromArgs } from './entry-script.js';

/** Location of the code of a local server. */
interface CodeLocation {
  readonly root: string;
  /** Entry script, relative to the root, if a script is started. */
  readonly entry?: string;
  /** Key in the lock file. */
  readonly called: string;
}

/** Why there is no code to scan. */
interface NoCode {
  readonly nothing: string;
}

/** Programs whose first argument is the code. */
const interpreterName = /^(?:node|nodejs|bun|deno|tsx|python(?:\d(?:\.\d+)?)?|pypy(?:\d(?:\.\d+)?)?)$/;

/** Finds the code that a command would run: the folder of its package, or of its script. */
export async function locateCode(
  config: McpConfig,
  command: LaunchCommand,
  base: string,
): Promise<CodeLocation | NoCode> {
  const { runtime, package: packaged, scan } = config;
  const spec = packaged === undefined ? undefined : `${runtime === 'uvx' ? 'pypi' : 'npm'}:${packaged}`;
  // An explicit path wins: the operator has set it.
  if (scan.path !== undefined) return locateAt(resolve(base, scan.path), base, spec);
  if (command.code !== undefined) return { root: command.code, called: spec ?? pathLockName(command.code, base) };
  // An image would have to be pulled and unpacked to be read.
  if (runtime === 'docker') return { nothing: 'container images are not scanned' };
  const program = basename(command.program);
  const cwd = config.cwd === undefined ? base : resolve(base, config.cwd);
  const found = await resolveProgram(command.program);
  // An interpreter is not the server; its script is.
  const interprets = interpreterName.test(program);
  const at = found.kind === 'program' ? found.found : command.program;
  const script = interprets ? await scriptFromArgs(at, command.args, cwd) : await scriptFromShebang(at);
  if (script !== undefined) return locateAt(script, base, spec);
  return {
    nothing: interprets
      ? `cannot determine which script ${program} runs; set scan.path`
      : `the source code of ${program} is unknown; set scan.path`,
  };
}

/** A path as code location; a file is scanned with its folder, because it imports from it. */
async function locateAt(path: string, base: string, spec: string | undefined): Promise<CodeLocation | NoCode> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return { nothing: `${basename(path)}: no such file or folder` };
  const called = spec ?? pathLockName(path, base);
  if (found.isDirectory()) return { root: path, called };
  const real = await realpath(path);
  return { root: dirname(real), entry: basename(real), called };
}

/** Key of local code in the lock file, relative so that the file can be shared. */
const pathLockName = (path: string, base: string): string => `path:${relative(base, path) || '.'}`;
