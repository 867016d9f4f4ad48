import { lstatSync, readlinkSync } from 'node:fs';
import { guardedMounts, isBelow, listedMounts, type Mount } from './file-view.js';
import type { ProcessSpec } from '../process-spec.js';
import type { ProtectedPaths } from './protected-paths.js';

/** Files of /etc that a program may read: name resolution, certificates and the loader's cache, but no accounts or keys. */
const publicEtc = [
  'alternatives',
  'ca-certificates',
  'crypto-policies',
  'gai.conf',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'localtime',
  'nsswitch.conf',
  'pki',
  'protocols',
  'resolv.conf',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'whois.conf',
];

const mebibyte = 1024 * 1024;
const defaultTmpBytes = 64 * mebibyte;
/** Browsers and package managers of ordinary servers need more; memory is used only for what is written. */
const guardedTmpBytes = 1024 * mebibyte;
// A mask holds only mount points, so a little memory is enough.
const maskBytes = 16 * mebibyte;

const kernelSettings = ['/proc/sys', '/proc/acpi', '/proc/fs', '/proc/mtrr', '/proc/scsi'];

/** Optional features of the installed bwrap version. */
export interface BwrapFeatures {
  readonly size: boolean;
  readonly disableUserns: boolean;
}

/** Arguments of bwrap for a spec: own namespaces, private /tmp, and the files of its profile; the program follows them. */
export function bwrapFlags(
  spec: ProcessSpec,
  features: BwrapFeatures,
  paths: ProtectedPaths,
  uid: number,
): readonly string[] {
  return [
    '--die-with-parent',
    // A new session: without one, a program could push characters into the terminal (TIOCSTI).
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    // Older kernels have no cgroup namespace.
    '--unshare-cgroup-try',
    ...(spec.network === 'none' ? ['--unshare-net'] : []),
    ...(spec.guarded === undefined
      ? strictFlags(spec, features, paths.hidden, uid)
      : guardedFlags(spec, features, paths, uid)),
    '--chdir',
    spec.cwd ?? '/tmp',
  ];
}

/** Only the system's programs and the listed folders, as a user without rights. */
function strictFlags(
  spec: ProcessSpec,
  features: BwrapFeatures,
  hidden: readonly string[],
  uid: number,
): readonly string[] {
  const tmpfs = toTmpfs(features, spec.limits.tmpBytes ?? defaultTmpBytes);
  return [
    ...privileges(spec, features),
    '--ro-bind',
    '/usr',
    '/usr',
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(systemFolder),
    ...publicEtc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...procFlags(uid),
    '--dev',
    '/dev',
    ...tmpfs('/dev/shm'),
    ...tmpfs('/tmp'),
    // A program outside the visible folders is mounted alone, not with its folder.
    ...(isVisible(spec) ? [] : ['--ro-bind', spec.file, spec.file]),
    ...toFlags(listedMounts(spec, hidden), features, spec),
    // The root and /dev are tmpfs without a size limit: if writable, a program could exhaust the machine's memory.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
  ];
}

/** The file system of the user, as the user, with the mounts of the guarded profile over it. */
function guardedFlags(
  spec: ProcessSpec,
  features: BwrapFeatures,
  paths: ProtectedPaths,
  uid: number,
): readonly string[] {
  const mounts = guardedMounts(spec, paths, uid);
  const root = mounts.find(({ path }) => path === '/');
  return [
    // Root needs no user namespace, and inside one it could not mount over files of other users. User namespaces stay possible
    // in the sandbox, for that of Chromium: the mounts made here are locked there.
    ...(uid === 0 ? [] : ['--unshare-user']),
    '--cap-drop',
    'ALL',
    // The root first: later mounts cover parts of it.
    ...toFlags([root ?? { path: '/', access: 'write', isFolder: true }], features, spec),
    ...procFlags(uid),
    '--dev',
    '/dev',
    ...toTmpfs(features, spec.limits.tmpBytes ?? guardedTmpBytes)('/dev/shm'),
    ...toFlags(
      mounts.filter((mount) => mount !== root),
      features,
      spec,
    ),
    '--remount-ro',
    '/dev',
  ];
}

/**
 * A separate /proc, with the kernel's settings read-only for root: they belong to it, so it needs no capability to name a
 * program in core_pattern that the kernel starts outside.
 */
const procFlags = (uid: number): readonly string[] => [
  '--proc',
  '/proc',
  ...(uid === 0 ? kernelSettings.flatMap((path) => ['--ro-bind-try', path, path]) : []),
];

const toTmpfs =
  ({ size }: BwrapFeatures, bytes: number) =>
  (path: string): readonly string[] =>
    size ? ['--size', String(bytes), '--tmpfs', path] : ['--tmpfs', path];

/** Mounts as arguments of bwrap; a hidden folder becomes read-only once everything inside it is mounted. */
function toFlags(mounts: readonly Mount[], features: BwrapFeatures, { limits }: ProcessSpec): readonly string[] {
  const masked = toTmpfs(features, maskBytes);
  const tmpfs = toTmpfs(features, limits.tmpBytes ?? guardedTmpBytes);
  const flags = mounts.flatMap(({ path, access, isFolder }) => {
    if (access === 'hidden' || access === 'scratch')
      // A file is hidden by /dev/null: it can be read and is empty.
      return isFolder ? (path === '/tmp' ? tmpfs : masked)(path) : ['--dev-bind', '/dev/null', path];
    return [bindFlag[access], path, path];
  });
  const closed = mounts.filter(({ access, isFolder }) => access === 'hidden' && isFolder);
  return [...flags, ...closed.flatMap(({ path }) => ['--remount-ro', path])];
}

const bindFlag = { write: '--bind', read: '--ro-bind', device: '--dev-bind' } as const;

function privileges(spec: ProcessSpec, features: BwrapFeatures): readonly string[] {
  // bwrap always sets no_new_privs, so raw sockets work only as root and without a user namespace.
  if (spec.newPrivileges === true) return ['--cap-drop', 'ALL', '--cap-add', 'CAP_NET_RAW'];
  return [
    '--unshare-user',
    '--uid',
    // The overflow user and group, which own no files.
    '65534',
    '--gid',
    '65534',
    '--cap-drop',
    'ALL',
    // Nested user namespaces would give back capabilities inside (kernel attack surface).
    ...(features.disableUserns ? ['--disable-userns'] : []),
  ];
}

function systemFolder(path: string): readonly string[] {
  try {
    // Merged-usr distributions link these; a bind mount would duplicate the tree.
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  } catch {
    return []; // absent on this distribution
  }
}

/** Whether the program's file is already visible inside the sandbox. */
const isVisible = ({ file, readable = [], writable = [] }: ProcessSpec): boolean =>
  ['/usr', '/bin', '/sbin', ...readable, ...writable].some((folder) => isBelow(file, folder));
