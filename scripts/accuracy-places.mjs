// Where the servers that are measured stand: packages in a cache, repositories in folders of checkouts or clones.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const quiet = { stdio: ['ignore', 'ignore', 'ignore'] };
const spelled = (name) => name.replaceAll('/', '__');

/** Folders of published packages, downloaded where that is allowed; nothing of them is run or installed. */
export function packages(cache, mayDownload) {
  const got = (folder, inside, fetch) => {
    const place = join(folder, inside);
    if (existsSync(place) || !mayDownload) return existsSync(place) ? place : undefined;
    mkdirSync(folder, { recursive: true });
    try {
      fetch(folder);
    } catch {
      rmSync(folder, { recursive: true, force: true });
    }
    return existsSync(place) ? place : undefined;
  };
  return {
    npm: (name, version) =>
      got(join(cache, 'npm', `${spelled(name)}@${version}`), 'package', (folder) => {
        execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--ignore-scripts'], { cwd: folder, ...quiet });
        const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
        execFileSync('tar', ['xzf', archive, '--transform', 's,^[^/]*,package,'], { cwd: folder, ...quiet });
      }),
    pypi: (name, version) =>
      got(join(cache, 'pypi', `${spelled(name)}@${version}`), 'src', (folder) => {
        const wanted = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', `${name}==${version}`];
        execFileSync('pip', ['download', '--quiet', ...wanted], { cwd: folder, ...quiet });
        const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'));
        execFileSync('unzip', ['-qo', wheel, '-d', 'src'], { cwd: folder, ...quiet });
      }),
  };
}

/** The folder of a repository, or undefined where it is not on this machine. */
export const inFolders = (folders, repository) =>
  folders.map((folder) => join(folder, repository.replace('/', '+'))).find((folder) => existsSync(folder));

/** The same for files to be read: a clone without a work tree has none, and would pass for a server without faults. */
export const checkedOut = (folders, repository) => {
  const folder = inFolders(folders, repository);
  return folder && !['.', 'repo'].some((inner) => existsSync(join(folder, inner, 'objects'))) ? folder : undefined;
};

/** The files of a clone as they were at a commit, or undefined where the clone or the commit is not here. */
export function atCommit(clones, cache, { repository, paths = [] }, commit) {
  const clone = inFolders(clones, repository);
  const place = join(cache, 'commits', `${spelled(repository)}@${commit}`);
  if (existsSync(place)) return place;
  if (!clone) return undefined;
  const git = ['.git', 'repo', '.'].map((inner) => join(clone, inner)).find((inner) => existsSync(join(inner, 'HEAD')));
  mkdirSync(place, { recursive: true });
  try {
    const maxBuffer = 1 << 30;
    const archive = execFileSync('git', ['--git-dir', git, 'archive', commit, '--', ...paths], { maxBuffer });
    execFileSync('tar', ['x', '-C', place], { input: archive, maxBuffer });
    return place;
  } catch {
    rmSync(place, { recursive: true, force: true });
    return undefined;
  }
}
