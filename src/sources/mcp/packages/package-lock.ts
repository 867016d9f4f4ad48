import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LockedPackage, PackageLock } from './npm-package.js';

/** Content of the lock file. */
interface LockText {
  readonly version: 1;
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly surfaces?: Readonly<Record<string, string>>;
}

/** Hashes of the tools that the code of each server registers. */
export interface SurfaceLock {
  get(called: string): string | undefined;
  put(called: string, hash: string): void;
}

/** Lock file next to the configuration; commit it, so that every machine starts the same package versions. */
export function packageLock(path: string): PackageLock & { readonly surfaces: SurfaceLock } {
  const read = (): LockText => {
    if (!existsSync(path)) return { version: 1, packages: {} };
    const text = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockText>; // its shape is checked in the next line
    // A lock of a later release must not be overwritten with less.
    if (text.version !== 1 || typeof text.packages !== 'object')
      throw new Error('toolgate.lock.json has an unsupported version');
    return {
      version: 1,
      packages: text.packages,
      ...(typeof text.surfaces === 'object' && { surfaces: text.surfaces }),
    };
  };
  const write = ({ packages, surfaces = {} }: Omit<LockText, 'version'>): void => {
    const text: LockText = {
      version: 1,
      // Sorted, so that a change shows as one line in version control.
      packages: sorted(packages),
      ...(Object.keys(surfaces).length > 0 && { surfaces: sorted(surfaces) }),
    };
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.${process.pid}.new`, `${JSON.stringify(text, null, 2)}\n`);
    renameSync(`${path}.${process.pid}.new`, path);
  };
  return {
    // Object.hasOwn: package names come from the configuration.
    get: (name) => (Object.hasOwn(read().packages, name) ? read().packages[name] : undefined),
    put(name, locked) {
      const now = read();
      write({ ...now, packages: { ...now.packages, [name]: locked } });
    },
    surfaces: {
      get(called) {
        const { surfaces = {} } = read();
        return Object.hasOwn(surfaces, called) ? surfaces[called] : undefined;
      },
      put(called, hash) {
        const now = read();
        write({ ...now, surfaces: { ...now.surfaces, [called]: hash } });
      },
    },
  };
}

/** Entries by name. */
const sorted = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
