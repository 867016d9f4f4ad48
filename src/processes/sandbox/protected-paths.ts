import { homedir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { packageFile } from '../../lib/package-file.js';
import { credentialPaths, credentialVariables, startupPaths, systemCredentials } from './credential-paths.js';

/** Places of this machine and user that sandboxed programs are kept away from; those that do not exist have no effect. */
export interface ProtectedPaths {
  /** State and configuration of the gateway: never visible, not even below a folder that is listed as readable. */
  readonly hidden: readonly string[];
  /** Hidden files that the gateway itself replaces while servers run; see `maskWatch`. */
  readonly rewritten?: readonly string[];
  /** Credentials: empty in the `guarded` profile. */
  readonly masked: readonly string[];
  /** Code that runs outside the sandbox: read-only in the `guarded` profile. */
  readonly readOnly: readonly string[];
}

/** Protected places of the user; `gateFiles` are the state folder, the configuration and the token of the gateway. */
export function protectedPaths(
  env: NodeJS.ProcessEnv,
  gateFiles: readonly string[],
  rewritten: readonly string[] = [],
): ProtectedPaths {
  const homes = homeFolders(env);
  const configured = credentialVariables.flatMap((name) => (env[name] ?? '').split(':'));
  return {
    hidden: [...new Set(gateFiles)],
    rewritten,
    masked: [
      ...homes.flatMap((home) => Object.values(credentialPaths).flatMap((paths) => inHome(home, paths, env))),
      ...configured.filter(isAbsolute),
      ...systemCredentials,
    ],
    readOnly: [...homes.flatMap((home) => inHome(home, startupPaths, env)), ...ownCode()],
  };
}

/** `HOME` and the home of the account: a service may set one and leave its files in the other. */
function homeFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const account = (): string => {
    try {
      return userInfo().homedir;
    } catch {
      return ''; // a user id without an account, as in many containers
    }
  };
  return [...new Set([env['HOME'] ?? homedir(), account()])].filter((home) => isAbsolute(home) && home !== '/');
}

function inHome(home: string, paths: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const moved = [
    ['.config/', env['XDG_CONFIG_HOME']],
    ['.local/share/', env['XDG_DATA_HOME']],
  ] as const;
  return paths.flatMap((path) => [
    join(home, path),
    ...moved.flatMap(([start, folder]) =>
      folder !== undefined && isAbsolute(folder) && path.startsWith(start)
        ? [join(folder, path.slice(start.length))]
        : [],
    ),
  ]);
}

/** The gateway's own code, its dependencies if it is installed as a package, and Node. */
function ownCode(): readonly string[] {
  const root = packageFile('.');
  const own = [packageFile('dist'), packageFile('package.json'), process.execPath];
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder))
    if (basename(folder) === 'node_modules') return [...own, folder];
  return own;
}
