import { existsSync } from 'node:fs';

/** Installations in progress by folder. */
const installing = new Map<string, Promise<string | undefined>>();

/** Runs `install` once per folder; concurrent callers share the same run. Returns a problem, or undefined. */
export async function installOnce(
  folder: string,
  install: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (existsSync(folder)) return undefined;
  let running = installing.get(folder);
  if (!running) {
    running = install().finally(() => installing.delete(folder));
    installing.set(folder, running);
  }
  return running;
}
