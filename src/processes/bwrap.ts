import { lstatSync, readlinkSync } from 'node:fs';
import type { ProcessSpec } from './spec.js';

/** What a program may read of /etc: names, certificates and the loader's cache; no accounts, no keys. */
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

/** What this machine's bwrap can do beyond its first version. */
export interface BwrapFeatures {
  readonly size: boolean;
  readonly disableUserns: boolean;
}

/** The arguments that put one program into its own small world; the program follows them. */
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
    ...(isShown(spec) ? [] : ['--ro-bind', spec.file, spec.file]),
    ...(spec.readable ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...(spec.writable ?? []).flatMap((path) => ['--bind', path, path]),
    // The root and /dev are memory file systems without a size: left writable, one program could fill the machine's memory.
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    spec.cwd ?? '/tmp',
  ];
}

function privileges(spec: ProcessSpec, features: BwrapFeatures): readonly string[] {
  // bwrap always sets no_new_privs; only root can hand a raw socket into it, and only without a user namespace.
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
    return []; // not every system has it
  }
}

const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

const isShown = ({ file, readable = [], writable = [] }: ProcessSpec): boolean =>
  ['/usr', '/bin', '/sbin', ...readable, ...writable].some((folder) => isUnder(file, folder));
