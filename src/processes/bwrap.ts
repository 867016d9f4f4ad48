import { lstatSync, readlinkSync } from 'node:fs';
import type { ProcessSpec } from './process-spec.js';

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

const defaultTmpBytes = 64 * 1024 * 1024;

/** Optional features of the installed bwrap version. */
export interface BwrapFeatures {
  readonly size: boolean;
  readonly disableUserns: boolean;
}

/** Arguments of bwrap for a spec: own namespaces, read-only system folders, private /tmp; the program follows them. */
export function bwrapFlags(spec: ProcessSpec, features: BwrapFeatures): readonly string[] {
  const tmpfs = (path: string): readonly string[] =>
    features.size ? ['--size', String(spec.limits.tmpBytes ?? defaultTmpBytes), '--tmpfs', path] : ['--tmpfs', path];
  return [
    '--die-with-parent',
    '--new-session',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(spec.network === 'none' ? ['--unshare-net'] : []),
    ...privileges(spec, features),
    '--ro-bind',
    '/usr',
    '/usr',
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64'].flatMap(systemFolder),
    ...publicEtc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...tmpfs('/dev/shm'),
    ...tmpfs('/tmp'),
    ...(isVisible(spec) ? [] : ['--ro-bind', spec.file, spec.file]),
    ...(spec.readable ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...(spec.writable ?? []).flatMap((path) => ['--bind', path, path]),
    // The root and /dev are tmpfs without a size limit: if writable, a program could exhaust the machine's memory.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    spec.cwd ?? '/tmp',
  ];
}

function privileges(spec: ProcessSpec, features: BwrapFeatures): readonly string[] {
  // bwrap always sets no_new_privs, so raw sockets work only as root and without a user namespace.
  if (spec.newPrivileges === true) return ['--cap-drop', 'ALL', '--cap-add', 'CAP_NET_RAW'];
  return [
    '--unshare-user',
    '--uid',
    '65534',
    '--gid',
    '65534',
    '--cap-drop',
    'ALL',
    ...(features.disableUserns ? ['--disable-userns'] : []),
  ];
}

function systemFolder(path: string): readonly string[] {
  try {
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  } catch {
    return []; // absent on this distribution
  }
}

const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** Whether the program's file is already visible inside the sandbox. */
const isVisible = ({ file, readable = [], writable = [] }: ProcessSpec): boolean =>
  ['/usr', '/bin', '/sbin', ...readable, ...writable].some((folder) => isUnder(file, folder));
