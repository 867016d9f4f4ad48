import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from '../../sources/mcp/plugin.js';
import type { McpConfig } from '../mcp-sources.js';

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
  if (!interpreter.test(program)) return { nothing: `${program} is a program whose source is not known; scan.path may name it` };
  const cwd = config.cwd === undefined ? base : resolve(base, config.cwd);
  const script = await scriptIn(command.args, cwd);
  return script === undefined ? { nothing: `which script ${program} runs cannot be told; scan.path may name it` } : placed(script, base, spec);
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

/** The first word that is a file, or the module after `-m` where it lies in the working directory. */
async function scriptIn(args: readonly string[], cwd: string): Promise<string | undefined> {
  for (const [at, word] of args.entries()) {
    const named = word === '-m' ? (args[at + 1] ?? '').replaceAll('.', '/') : undefined;
    const places = named === undefined ? (word.startsWith('-') ? [] : [word]) : named === '' ? [] : [`${named}.py`, join(named, '__main__.py')];
    for (const place of places) if ((await stat(resolve(cwd, place)).catch(() => undefined))?.isFile()) return resolve(cwd, place);
  }
  return undefined;
}
