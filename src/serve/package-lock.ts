import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Locked, PackageLock } from '../sources/mcp/packages.js';

interface LockText {
  readonly version: 1;
  readonly packages: Readonly<Record<string, Locked>>;
}

/** The lock file beside the configuration: meant to be kept with it, so that every machine starts the same bytes. */
export function packageLock(path: string): PackageLock {
  const read = (): LockText => {
    if (!existsSync(path)) return { version: 1, packages: {} };
    const text = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockText>; // its shape is checked in the next line
    if (text.version !== 1 || typeof text.packages !== 'object') throw new Error('toolgate.lock.json cannot be read: it is of another version');
    return { version: 1, packages: text.packages };
  };
  return {
    get: (name) => (Object.hasOwn(read().packages, name) ? read().packages[name] : undefined),
    put(name, locked) {
      const packages = Object.fromEntries(Object.entries({ ...read().packages, [name]: locked }).sort(([a], [b]) => (a < b ? -1 : 1)));
      writeFileSync(`${path}.${process.pid}.new`, `${JSON.stringify({ version: 1, packages } satisfies LockText, null, 2)}\n`);
      renameSync(`${path}.${process.pid}.new`, path);
    },
  };
}
