const reasons: Readonly<Record<string, string>> = {
  E2BIG: 'the command line is too long',
  EACCES: 'permission denied',
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'the address does not exist on this machine',
  EAGAIN: 'the system is out of resources',
  EAI_AGAIN: 'the name server does not answer',
  EBUSY: 'the file or device is busy',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the other side',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it already exists',
  EFBIG: 'the file is too large',
  EHOSTUNREACH: 'host unreachable',
  EIO: 'the disk reports an input/output error',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENETUNREACH: 'network unreachable',
  ENFILE: 'too many open files',
  ENOENT: 'no such file or folder',
  ENOEXEC: 'it is not a program this machine can run',
  ENOMEM: 'not enough memory',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a folder',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'cannot resolve the host name',
  EPERM: 'operation not permitted',
  EPIPE: 'the other side closed the connection',
  EROFS: 'the file system is read-only',
  ETIMEDOUT: 'timed out',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'connection closed by the other side',
};

/**
 * Describes a system error in plain words. Never returns a library's message, which may hold paths and addresses, nor a
 * bare errno; errors without a known code get the fallback.
 */
export function describeSystemError(error: unknown, fallback = 'unexpected error'): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return fallback;
  return (
    (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ??
    (/^E[A-Z0-9_]{1,40}$/.test(code) ? `system error ${code}` : fallback)
  );
}
