import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PinBook } from './pins.js';

/** Pin books on disk, one readable JSON file per source, shared by the command line and running gateways. */
export interface PinFiles {
  read(source: string): PinBook | undefined;
  write(book: PinBook): void;
  all(): readonly PinBook[];
  /** Reports books that another process has written. */
  watch(changed: (source: string) => void): () => void;
}

const pinFileName = /^([A-Za-z0-9_-]{1,64})\.json$/;
const maxPinFileBytes = 64 * 1024 * 1024;

/** Pin files in a folder. An unreadable file is an error that stops the source: treating it as empty would pin anything. */
export function pinFiles(folder: string): PinFiles {
  const written = new Map<string, string>();
  const pathOf = (source: string): string => join(folder, `${source}.json`);

  const read = (source: string): PinBook | undefined => {
    const path = pathOf(source);
    if (!existsSync(path)) return undefined;
    const text = readFileSync(path, 'utf8');
    if (text.length > maxPinFileBytes) throw new Error(`the pin file of ${source} is too large`);
    written.set(source, text);
    const book = JSON.parse(text) as PinBook; // only this module writes there
    if (typeof book.pins !== 'object' || typeof book.pending !== 'object')
      throw new Error(`the pin file of ${source} is not valid`);
    return book;
  };

  return {
    read,
    write(book) {
      const text = `${JSON.stringify(book, null, 2)}\n`;
      if (written.get(book.source) === text) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      written.set(book.source, text);
      const path = pathOf(book.source);
      writeFileSync(`${path}.${process.pid}.new`, text, { mode: 0o600 });
      renameSync(`${path}.${process.pid}.new`, path);
    },
    all: () =>
      (existsSync(folder) ? readdirSync(folder) : []).flatMap((file) => {
        const source = pinFileName.exec(file)?.[1];
        const book = source === undefined ? undefined : read(source);
        return book ? [book] : [];
      }),
    watch(changed) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const watcher = watch(folder, { persistent: false }, (_, file) => {
        const source = file === null ? undefined : pinFileName.exec(file)?.[1];
        if (source === undefined) return;
        const before = written.get(source);
        try {
          read(source);
        } catch {
          return; // seen in the middle of a rename; the completed rename triggers another event
        }
        if (written.get(source) !== before) changed(source);
      });
      watcher.on('error', () => {});
      return () => watcher.close();
    },
  };
}
