import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProcessSpec } from '../process-spec.js';
import type { ProtectedPaths } from './protected-paths.js';

/**
 * What a program finds at a path: the real files (`write`, `read`, `device`), nothing (`hidden`), or a separate empty place that is
 * gone when it exits (`scratch`).
 */
type Access = 'write' | 'read' | 'device' | 'hidden' | 'scratch';

/** One mount of a sandbox; mounts are made in order, so a deeper path overrides what contains it. */
export interface Mount {
  readonly path: string;
  readonly access: Access;
  readonly isFolder: boolean;
}

/** Entries of /run that ordinary programs need: name resolution, graphics drivers, local databases, NixOS. */
const publicRun = [
  'NetworkManager/resolv.conf',
  'booted-system',
  'connman',
  'current-system',
  'mysqld',
  'netconfig',
  'nscd',
  'opengl-driver',
  'opengl-driver-32',
  'postgresql',
  'redis',
  'resolvconf',
  'systemd/resolve',
];

/** Folders of the system, read-only if the user is root: as owner of these files it could replace programs that others run. */
const systemFolders = new Set(
  'bin boot dev etc lib lib32 lib64 libx32 lost+found nix opt proc run sbin snap sys usr var'.split(' '),
);

/** Whether a path is a folder or below it. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** Real path, since a mount cannot be made on a symbolic link; undefined if nothing is there. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const existing = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => {
    const real = realPath(path);
    return real === undefined ? [] : [real];
  });

/**
 * Mounts of the `guarded` profile on top of the real file system: credentials are empty, the gateway's files are hidden,
 * /tmp is private, /run holds no sockets of daemons (one message to Docker or the session bus starts a program outside).
 */
export function guardedMounts(spec: ProcessSpec, paths: ProtectedPaths, uid: number): readonly Mount[] {
  const { masked = [], unmasked: exceptions = [], named = [] } = spec.guarded ?? {};
  const [tmp = '/tmp'] = existing(['/tmp']);
  const runs = existing(['/run', '/var/run']);
  const hidden = existing(paths.hidden);
  const unmasked = existing(exceptions);
  const isUnmasked = (path: string): boolean => unmasked.some((exception) => isBelow(path, exception));
  const view = new Map<string, Access>(uid === 0 ? rootView() : []);
  const set = (access: Access, list: readonly string[]): void => list.forEach((path) => view.set(path, access));
  /** Shows a path that a mask covers; below /tmp all of the folder that mktemp makes, for the files beside a script. */
  const uncover = (path: string, access: Access): void => {
    const isInTmp = nearestPlace(view, path) === tmp;
    if (path !== tmp) view.set(isInTmp ? path.split('/', tmp.split('/').length + 1).join('/') : path, access);
  };

  set('read', existing(['/sys']));
  set(
    'scratch',
    [tmp, ...runs].filter((path) => !isUnmasked(path)),
  );
  set('read', existing(publicRun.map((name) => join('/run', name))));
  const masks = existing([...paths.masked, ...masked]).filter((path) => !isUnmasked(path));
  set('scratch', masks.flatMap(withLinkedFiles));
  for (const path of unmasked) {
    if (isBelow(path, '/dev')) view.set(path, 'device');
    else if (nearest(view, path) === 'scratch') view.set(path, isReadOnly(path, uid) ? 'read' : 'write');
  }
  for (const path of [...named, ...(spec.cwd === undefined ? [] : [spec.cwd])].flatMap(ways)) {
    const place = nearestPlace(view, path);
    // A name in the configuration does not open /run: a passed-on variable would show the session bus.
    if (place !== undefined && view.get(place) === 'scratch' && !runs.includes(place)) uncover(path, 'write');
  }
  const readOnly = existing(paths.readOnly).filter((path) => !isUnmasked(path) && isReplaceable(path));
  set(
    'read',
    readOnly.filter((path) => nearest(view, path) === 'write'),
  );

  for (const place of view.keys()) if (hidden.some((folder) => isBelow(place, folder))) view.delete(place);
  set('hidden', hidden);
  for (const path of ways(spec.file)) {
    if (!['scratch', 'hidden'].includes(nearest(view, path))) continue;
    const folder = installationOf(path);
    uncover(hidden.some((secret) => isBelow(secret, folder)) ? path : folder, 'read');
  }
  const listed = (list: readonly string[] = []): readonly string[] =>
    list.map((path) => realPath(path) ?? path).filter((path) => !hidden.includes(path));
  set('read', listed(spec.readable));
  set('write', listed(spec.writable));
  for (const path of [...hidden, ...readOnly]) pinAncestors(view, path, uid);
  return toMounts(view);
}

/** Mounts of the `strict` profile: the listed folders, without the gateway's files inside them. */
export function listedMounts(
  { readable = [], writable = [] }: Pick<ProcessSpec, 'readable' | 'writable'>,
  hidden: readonly string[],
): readonly Mount[] {
  const view = new Map<string, Access>();
  readable.forEach((path) => view.set(path, 'read'));
  writable.forEach((path) => view.set(path, 'write'));
  const secrets = existing(hidden);
  for (const path of Array.from(view.keys())) {
    const real = realPath(path) ?? path;
    for (const secret of secrets) if (isBelow(secret, real)) view.set(join(path, secret.slice(real.length)), 'hidden');
  }
  return toMounts(view);
}

/** As root only data folders are writable; capabilities are dropped, but the owner of /etc needs none to write there. */
function rootView(): readonly (readonly [string, Access])[] {
  const data = readdirSync('/', { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !systemFolders.has(entry.name),
  );
  const writable = [...data.map(({ name }) => `/${name}`), ...existing(['/var/tmp'])];
  return [['/', 'read'], ...writable.map((path) => [path, 'write'] as const)];
}

const isReadOnly = (path: string, uid: number): boolean => uid === 0 && systemFolders.has(path.split('/')[1] ?? '');

/** Real path of a file and of the link that leads to it: a virtual environment's python is a link to the system's. */
function ways(path: string): readonly string[] {
  const [folder, file] = [realPath(dirname(path)), realPath(path)];
  return file === undefined || folder === undefined ? [] : [...new Set([file, join(folder, basename(path))])];
}

const nearestPlace = (view: ReadonlyMap<string, Access>, path: string): string | undefined => {
  for (let place = path; ; place = dirname(place)) {
    if (view.has(place)) return place;
    if (place === dirname(place)) return undefined;
  }
};

const nearest = (view: ReadonlyMap<string, Access>, path: string): Access => {
  const place = nearestPlace(view, path);
  return (place === undefined ? undefined : view.get(place)) ?? 'write';
};

/**
 * Makes the writable folders above a protected path separate mounts: a mount cannot be renamed, while a plain folder could
 * be moved aside and replaced by one with a forged configuration or token.
 */
function pinAncestors(view: Map<string, Access>, path: string, uid: number): void {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const isMovable = uid === 0 || canWrite(dirname(folder));
    if (!view.has(folder) && isMovable && nearest(view, folder) === 'write') view.set(folder, 'write');
  }
}

const isReplaceable = (path: string): boolean => canWrite(path) || canWrite(dirname(path));

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const maxLinks = 1_000;

/** A masked place and the files that its symbolic links lead to: dotfile managers keep the real file elsewhere. */
function withLinkedFiles(path: string): readonly string[] {
  try {
    const links = readdirSync(path, { withFileTypes: true })
      .slice(0, maxLinks)
      .filter((entry) => entry.isSymbolicLink());
    const files = existing(links.map(({ name }) => join(path, name))).filter((real) => statSync(real).isFile());
    return [path, ...files.filter((real) => !/^\/(?:usr|etc|bin|lib|opt)\//.test(real))];
  } catch {
    return [path]; // a file, or a folder that this user cannot read
  }
}

/** Folder of an installed program (`…/bin/node` belongs to `…`), which holds its libraries. */
const installationOf = (file: string): string => (/\/bin\/[^/]+$/.test(file) ? dirname(dirname(file)) : file);

function toMounts(view: ReadonlyMap<string, Access>): readonly Mount[] {
  const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length);
  return [...view]
    .filter(([path, access]) => path === '/' || access !== 'scratch' || nearest(view, dirname(path)) !== 'scratch')
    .map(([path, access]) => ({ path, access, isFolder: isFolder(path) }))
    .sort((a, b) => depth(a.path) - depth(b.path));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
