import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where the token, the audit and the state are kept. */
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
  /** Sockets by which operators on this machine answer what gateways ask. */
  readonly approvals: string;
}

/** The home that the configuration names (file, `TOOLGATE_HOME` or `--home`), else `~/.toolgate`; nothing is made yet. */
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

/** Makes the home where it is missing, and closes it to others where it is open to them. */
export function makeHome(home: Home): void {
  mkdirSync(home.folder, { recursive: true, mode: 0o700 });
  if ((statSync(home.folder).mode & 0o077) !== 0) chmodSync(home.folder, 0o700);
}
