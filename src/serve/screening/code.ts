import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { resolveProgram } from '../../processes/index.js';
import type { Command } from '../../sources/mcp/plugin.js';
import type { McpConfig } from '../mcp-sources.js';
import { scriptBehind, scriptIn } from './scripts.js';

/** Where the code of a local server lies. */
export interface Code {
  readonly root: string;
  /** The script in the root that is started, where it is one. */
  readonly entry?: string;
  /** What the lock file calls it. */
  readonly called: string;
}

/** Why there is no code to read. */
export interface NoCode {
  readonly nothing: string;
}

const interpreter = /^(?:node|nodejs|bun|deno|tsx|python(?:\d(?:\.\d+)?)?|pypy(?:\d(?:\.\d+)?)?)$/;

/** Finds the code that a command would run: a package's own folder, or the one in which its script lies. */
export async function codeOf(config: McpConfig, command: Command, base: string): Promise<Code | NoCode> {
  const { runtime, package: packaged, scan } = config;
  const spec = packaged === undefined ? undefined : `${runtime === 'uvx' ? 'pypi' : 'npm'}:${packaged}`;
  if (scan.path !== undefined) return placed(resolve(base, scan.path), base, spec);
  if (command.code !== undefined) return { root: command.code, called: spec ?? pathName(command.code, base) };
  if (runtime === 'docker') return { nothing: 'the image of a container is not read' };
  const program = basename(command.program);
  const cwd = config.cwd === undefined ? base : resolve(base, config.cwd);
  const found = await resolveProgram(command.program);
  const interprets = interpreter.test(program);
  const at = found.kind === 'program' ? found.found : command.program;
  const script = interprets ? await scriptIn(at, command.args, cwd) : await scriptBehind(at);
  if (script !== undefined) return placed(script, base, spec);
  return {
    nothing: interprets
      ? `which script ${program} runs cannot be told; scan.path may name it`
      : `${program} is a program whose source is not known; scan.path may name it`,
  };
}

async function placed(path: string, base: string, spec: string | undefined): Promise<Code | NoCode> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return { nothing: `there is no ${basename(path)} to read` };
  const called = spec ?? pathName(path, base);
  if (found.isDirectory()) return { root: path, called };
  const real = await realpath(path);
  return { root: dirname(real), entry: basename(real), called };
}

const pathName = (path: string, base: string): string => `path:${relative(base, path) || '.'}`;
