import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serving, type Running } from '../../support/toolgate.js';
import { aToolFolder } from './world.js';

const hosts = '127.0.0.1 localhost\n10.1.2.3 a.b.lab.internal\n169.254.169.254 rebound.lab.internal\n';

/** A gateway in a mount namespace with a hosts file for `.lab.internal`; undefined, with one line, where namespaces do not work. */
export async function labGate(): Promise<Running | undefined> {
  const folder = aToolFolder();
  writeFileSync(join(folder, 'hosts'), hosts);
  const works = spawnSync('unshare', ['-m', 'mount', '--bind', join(folder, 'hosts'), '/etc/hosts']).status === 0;
  if (!works) {
    console.log('skipped: this machine allows no mount namespace, so names of .lab.internal cannot be resolved');
    return undefined;
  }
  const program = join(folder, 'node-with-hosts');
  writeFileSync(
    program,
    `#!/bin/sh\nexec unshare -m sh -c 'mount --bind ${join(folder, 'hosts')} /etc/hosts && exec "$0" "$@"' ${process.execPath} "$@"\n`,
  );
  chmodSync(program, 0o755);
  return serving(folder, [], {}, program);
}
