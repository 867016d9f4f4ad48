import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fixedPath, resolveProgram } from '../../processes/index.js';
import { findUv } from '../../sources/mcp/packages/find-uv.js';
import { managerEnv } from '../../sources/mcp/packages/manager-env.js';
import type { WantedServer } from '../../sources/mcp/registration/server-command.js';

/** A package with its exact version, as the configuration names it. */
type ResolvedPackage =
  { readonly runtime: 'npx' | 'uvx'; readonly package: string; readonly shown: string } | { readonly problem: string };

/** A package of a registry. */
type WantedPackage = Extract<WantedServer, { kind: 'package' }>;

/** Where versions are looked up. */
export interface VersionOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Folder of installed packages: its caches are used. */
  readonly packages: string;
  readonly signal: AbortSignal;
}

/** Asks the registry for the version to pin; an exact one of a named registry is taken as it is. */
export async function resolvePackage(wanted: WantedPackage, options: VersionOptions): Promise<ResolvedPackage> {
  if (wanted.registry === 'npm') return resolveNpm(wanted, options);
  if (wanted.registry === 'pypi') return resolvePypi(wanted, options);
  const pypi = { ...wanted, ...(wanted.version !== undefined && { version: toPypiRange(wanted.version) }) };
  // Both are asked for an exact version as well: without an answer, every name would seem to be in both.
  const [npm, python] = await Promise.all([resolveNpm(wanted, options, true), resolvePypi(pypi, options, true)]);
  if ('problem' in npm && 'problem' in python)
    return { problem: `neither registry has it. npm: ${npm.problem}. PyPI: ${python.problem}` };
  // A name that both have may belong to two owners: choosing one would be a guess (dependency confusion).
  if (!('problem' in npm) && !('problem' in python))
    return { problem: `npm and PyPI both have ${wanted.name}; write npm:${wanted.name} or pypi:${wanted.name}` };
  return 'problem' in npm ? python : npm;
}

/** npm and PyPI write exact versions differently. */
const toPypiRange = (version: string): string => (/^[0-9]/.test(version) ? `==${version}` : version);

/** Exact version of an npm package. */
async function resolveNpm(
  { name, version }: WantedPackage,
  options: VersionOptions,
  mustExist = false,
): Promise<ResolvedPackage> {
  const found = (exact: string): ResolvedPackage => ({
    runtime: 'npx',
    package: `${name}@${exact}`,
    shown: `npm:${name}@${exact}`,
  });
  // An exact version needs no request.
  if (!mustExist && version !== undefined && /^\d+\.\d+\.\d+[A-Za-z0-9.+_-]*$/.test(version)) return found(version);
  const npm = await resolveProgram('npm');
  if (npm.kind === 'problem') return { problem: 'npm is not installed' };
  const args = ['view', `${name}@${version ?? 'latest'}`, 'version', '--json', '--no-update-notifier'];
  const { out, failure } = await runManager(npm.found, args, {
    ...options,
    cache: { npm_config_cache: join(options.packages, 'npm', 'cache') },
  });
  const answer = parseJson(out);
  // A range matches several versions; npm lists them in ascending order.
  const exact = Array.isArray(answer) ? answer.at(-1) : answer;
  if (failure === undefined && typeof exact === 'string' && /^\d/.test(exact)) return found(exact);
  if (/No match found for version/.test(out) || (failure === undefined && out.trim() === ''))
    return { problem: `no version ${version ?? ''}` };
  return {
    problem: /E404|404 Not Found/.test(`${failure} ${out}`)
      ? 'no such package'
      : `the registry could not be asked (${failure ?? 'no version'})`,
  };
}

/** Exact version of a Python package. */
async function resolvePypi(
  { name, version }: WantedPackage,
  options: VersionOptions,
  mustExist = false,
): Promise<ResolvedPackage> {
  const found = (exact: string): ResolvedPackage => ({
    runtime: 'uvx',
    package: `${name}==${exact}`,
    shown: `pypi:${name}==${exact}`,
  });
  const given = /^==([0-9][A-Za-z0-9.!+_-]*)$/.exec(version ?? '')?.[1];
  if (!mustExist && given !== undefined) return found(given);
  const env = managerEnv(options.env);
  const [uv, python] = [await findUv(env, options.env['PATH']), await resolveProgram('python3')];
  if (uv.kind === 'problem') return { problem: uv.message };
  if (python.kind === 'problem') return { problem: 'python3 is not installed' };
  const args = [
    'pip',
    'compile',
    '--no-deps',
    '--no-build',
    '--no-header',
    '--no-annotate',
    '--no-config',
    '--quiet',
    '--python',
    python.found,
    '--cache-dir',
    join(options.packages, 'pypi', 'cache'),
    '-',
  ];
  const { out, failure } = await runManager(uv.found, args, { ...options, input: `${name}${version ?? ''}\n` });
  const exact = /==\s*([0-9][A-Za-z0-9.!+_-]*)/.exec(out)?.[1];
  if (failure === undefined && exact !== undefined) return found(exact);
  return {
    problem: /not found in the package registry|no solution found/i.test(failure ?? '')
      ? 'no such package, or no wheels of it'
      : `the index could not be asked (${failure ?? 'no version'})`,
  };
}

/** Runs a package manager with a clean environment and a timeout; its last line of stderr is the reason. */
function runManager(
  program: string,
  args: readonly string[],
  options: VersionOptions & { readonly input?: string; readonly cache?: Readonly<Record<string, string>> },
): Promise<{ readonly out: string; readonly failure: string | undefined }> {
  // Outside of any project, whose settings could name another registry.
  mkdirSync(options.packages, { recursive: true, mode: 0o700 });
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        cwd: options.packages,
        env: { PATH: fixedPath, ...managerEnv(options.env), ...options.cache },
        timeout: 60_000,
        maxBuffer: 1_048_576,
        encoding: 'utf8',
        signal: options.signal,
      },
      (error, out, err) =>
        resolve({
          out,
          failure: error === null ? undefined : (err.trim().split('\n').at(-1) || error.message).slice(0, 300),
        }),
    );
    // A manager that exits early closes the pipe, which is no error here.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

/** Parsed JSON, or undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
