import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.js';

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
  /** Operator sockets, one per running gateway. */
  readonly approvals: string;
}

/** State folder from the configuration (file, `TOOLGATE_HOME` or `--home`), else `~/.toolgate`; creates nothing. */
export function homeOf(env: NodeJS.ProcessEnv, configured?: string): Home {
  const folder = resolve(configured || join(env['HOME'] || homedir(), '.toolgate'));
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
    approvals: join(folder, 'approvals'),
  };
}

/** Creates the state folder if it is missing, and restricts it to its owner. */
export function makeHome(home: Home): void {
  mkdirSync(home.folder, { recursive: true, mode: 0o700 });
  if ((statSync(home.folder).mode & 0o077) !== 0) chmodSync(home.folder, 0o700);
}

/** Files whose reader or writer becomes an administrator: the state, the configuration, the token, the lock of packages. */
export const gateFiles = ({ file, base, config }: LoadedConfig, home: Home): readonly string[] => [
  home.folder,
  resolve(base, 'toolgate.lock.json'),
  ...(file === undefined ? [] : [file]),
  ...(config.auth.token_file === undefined ? [] : [resolve(config.auth.token_file)]),
];
