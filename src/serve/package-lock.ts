import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Locked, PackageLock } from '../sources/mcp/packages.js';

interface LockText {
  readonly version: 1;
  readonly packages: Readonly<Record<string, Locked>>;
  readonly surfaces?: Readonly<Record<string, string>>;
}

/** The hashes of what the code of each server says it offers. */
export interface SurfaceLock {
  get(called: string): string | undefined;
  put(called: string, hash: string): void;
}

/** The lock file beside the configuration: meant to be kept with it, so that every machine starts the same bytes. */
export function packageLock(path: string): PackageLock & { readonly surfaces: SurfaceLock } {
  const read = (): LockText => {
    if (!existsSync(path)) return { version: 1, packages: {} };
    const text = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockText>; // its shape is checked in the next line
    if (text.version !== 1 || typeof text.packages !== 'object')
      throw new Error('toolgate.lock.json cannot be read: it is of another version');
    return {
      version: 1,
      packages: text.packages,
      ...(typeof text.surfaces === 'object' && { surfaces: text.surfaces }),
    };
  };
  const write = ({ packages, surfaces = {} }: Omit<LockText, 'version'>): void => {
    const text: LockText = {
      version: 1,
      packages: sorted(packages),
      ...(Object.keys(surfaces).length > 0 && { surfaces: sorted(surfaces) }),
    };
    writeFileSync(`${path}.${process.pid}.new`, `${JSON.stringify(text, null, 2)}\n`);
    renameSync(`${path}.${process.pid}.new`, path);
  };
  return {
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

const sorted = <T>(entries: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
