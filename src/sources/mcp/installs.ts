import { existsSync } from 'node:fs';

const installing = new Map<string, Promise<string | undefined>>();

/** Has a folder made once, also for those who ask meanwhile; a problem is a sentence. */
export async function installed(
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
