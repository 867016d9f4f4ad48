import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpack } from '../scanner/index.js';

/** What to scan: a place on this disk, and how to tidy up after it. */
export type Source = { readonly path: string; dispose(): Promise<void> } | { readonly refused: string };

const npmSpec = /^npm:((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([A-Za-z0-9][A-Za-z0-9.+-]*))?$/;
const pypiSpec = /^pypi:([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==([A-Za-z0-9][A-Za-z0-9.!+-]*))?$/;
const archive = /\.(?:tgz|tar\.gz|whl|zip)$/i;
const downloadMs = 180_000;

/** Finds what was asked for; packages are downloaded by name and version, without running anything of theirs. */
export async function sourceOf(given: string): Promise<Source> {
  if (given.startsWith('npm:') || given.startsWith('pypi:')) return downloaded(given);
  const stat = await lstat(given).catch(() => undefined);
  if (!stat) return { refused: `there is no ${JSON.stringify(given)}` };
  return stat.isFile() && archive.test(given) ? unpacked(given) : { path: given, dispose: async () => undefined };
}

async function unpacked(file: string, outer?: string): Promise<Source> {
  const folder = outer ?? (await mkdtemp(join(tmpdir(), 'toolgate-scan-')));
  const dispose = () => rm(folder, { recursive: true, force: true });
  const into = join(folder, 'source');
  const made = await unpack(file, into);
  if (!('refused' in made)) return { path: into, dispose };
  await dispose();
  return { refused: `cannot unpack ${JSON.stringify(file)}: ${made.refused}` };
}

async function downloaded(spec: string): Promise<Source> {
  const npm = npmSpec.exec(spec);
  const pypi = pypiSpec.exec(spec);
  if (!npm && !pypi)
    return { refused: `${JSON.stringify(spec)} is no package; write npm:name@version or pypi:name==version` };
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-scan-'));
  const [program, args] = npm
    ? ([
        'npm',
        ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, `${npm[1]}@${npm[2] ?? 'latest'}`],
      ] as const)
    : // Only wheels: preparing a source distribution would run its setup script.
      ([
        'pip',
        [
          'download',
          '--no-deps',
          '--only-binary=:all:',
          '--quiet',
          '--disable-pip-version-check',
          '--dest',
          folder,
          `${pypi?.[1]}${pypi?.[2] === undefined ? '' : `==${pypi[2]}`}`,
        ],
      ] as const);
  try {
    await promisify(execFile)(program, [...args], { cwd: folder, timeout: downloadMs, maxBuffer: 4_000_000 });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return {
      refused: missing
        ? `${program} is needed to download ${spec} and is not installed`
        : `${program} could not download ${spec}`,
    };
  }
  const file = (await readdir(folder)).find((name) => archive.test(name));
  if (file !== undefined) return unpacked(join(folder, file), folder);
  await rm(folder, { recursive: true, force: true });
  return { refused: `${spec} came without an archive` };
}
