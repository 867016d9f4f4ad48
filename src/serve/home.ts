import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.js';
import { secretFiles } from '../config/secrets/stored-values.js';
import { stateFolder } from '../config/state-folder.js';
import { makeFolder } from '../lib/make-folder.js';
import { describeSystemError } from '../lib/system-error.js';

/** Paths in the state folder. */
export interface Home {
  readonly folder: string;
  readonly token: string;
  readonly audit: string;
  readonly state: string;
  readonly run: string;
  readonly pins: string;
  readonly grants: string;
  readonly packages: string;
  readonly scans: string;
  /** Keys of session ids. */
  readonly sessionKeys: string;
  /** Operator sockets, one per running gateway. */
  readonly approvals: string;
  /** Records and sockets of running gates. */
  readonly gates: string;
  /** Log files of background gates. */
  readonly logs: string;
  /** Console sessions. */
  readonly console: string;
}

/** State folder from the configuration (file, `TOOLGATE_HOME` or `--home`), else `~/.toolgate`; creates nothing. */
export function homeOf(env: NodeJS.ProcessEnv, configured?: string): Home {
  const folder = stateFolder(env, configured);
  return {
    folder,
    token: join(folder, 'token'),
    audit: join(folder, 'audit'),
    state: join(folder, 'state'),
    run: join(folder, 'run'),
    pins: join(folder, 'pins'),
    grants: join(folder, 'oauth'),
    packages: join(folder, 'packages'),
    scans: join(folder, 'scans'),
    sessionKeys: join(folder, 'session-keys.json'),
    approvals: join(folder, 'approvals'),
    gates: join(folder, 'gates'),
    logs: join(folder, 'logs'),
    console: join(folder, 'console.json'),
  };
}

/** Creates the state folder if it is missing, and restricts it to its owner. */
export function makeHome(home: Home): void {
  try {
    makeFolder(home.folder);
    // An existing folder with wider permissions would let other users read the token.
    if ((statSync(home.folder).mode & 0o077) !== 0) chmodSync(home.folder, 0o700);
    // Checked now: a later failure to write the audit would refuse every call.
    accessSync(home.folder, constants.W_OK);
  } catch (error) {
    // Errors with a code come from the system and are translated; others already have a message for people.
    const why = error instanceof Error && !('code' in error) ? error.message : describeSystemError(error);
    throw new Error(
      `the state folder ${home.folder} cannot be used: ${why}; set another one with --home or TOOLGATE_HOME`,
      { cause: error },
    );
  }
}

/** Versions and hashes of packages; it has no secret, and is written again with each new package. */
export const lockFile = (base: string): string => resolve(base, 'toolgate.lock.json');

/** Files whose reader or writer becomes an administrator or gets a secret: the state, the configuration, the token, the lock of packages. */
export const gateFiles = ({ file, base, config }: LoadedConfig, home: Home): readonly string[] => [
  home.folder,
  lockFile(base),
  ...(file === undefined ? [] : [file]),
  ...secretFiles(config),
  ...(config.auth.token_file === undefined ? [] : [resolve(config.auth.token_file)]),
];
