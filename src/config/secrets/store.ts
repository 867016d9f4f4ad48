import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { makeFolder } from '../../lib/make-folder.js';
import { dirname, join } from 'node:path';
import { isSecretName } from '../../lib/text/secret-references.js';

/** Bound of the whole file. */
const maxStoreBytes = 1_048_576;
/** Longest value; a private key fits, a file that was piped in by mistake does not. */
export const maxSecretBytes = 65_536;

/** Secrets by name, in one file of the state folder that only its owner can read. */
export interface SecretStore {
  readonly file: string;
  names(): readonly string[];
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  /** False if there was none of this name. */
  remove(name: string): boolean;
}

/** Name of the store in the state folder. */
export const secretStoreFile = (folder: string): string => join(folder, 'secrets.json');

/** Opens the store; reads the file at each use and throws an error with its path if the file is damaged or open to others. */
export function secretStore(folder: string): SecretStore {
  const file = secretStoreFile(folder);
  const write = (secrets: ReadonlyMap<string, string>): void => {
    makeFolder(dirname(file));
    // Written beside the file and renamed, so that a crash never leaves half a store.
    const draft = `${file}.${process.pid}.new`;
    writeFileSync(draft, `${JSON.stringify({ version: 1, secrets: Object.fromEntries(secrets) }, null, 2)}\n`, {
      mode: 0o600,
    });
    // The mode of writeFile is subject to the umask, and an old draft keeps its own.
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  };
  return {
    file,
    names: () => [...readStore(file).keys()].sort(),
    get: (name) => readStore(file).get(name),
    set(name, value) {
      // Read again before each write: another process may have changed the store.
      write(new Map([...readStore(file), [name, value]]));
    },
    remove(name) {
      const secrets = readStore(file);
      if (!secrets.delete(name)) return false;
      write(secrets);
      return true;
    },
  };
}

/** Reads the store; a missing file is an empty store. */
function readStore(file: string): Map<string, string> {
  let text: string;
  try {
    const { mode, size } = statSync(file);
    // Secrets that other users can read are reported instead of used.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new Error(`${file} can be read by other users; run chmod 600 ${file}`);
    if (size > maxStoreBytes) throw new Error(`${file} is larger than ${maxStoreBytes} bytes`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
  const secrets = parseStore(text);
  if (secrets === undefined)
    throw new Error(`${file} is not a secret store; restore it, or move it away and set the secrets again`);
  return secrets;
}

/** Parsed store; undefined if the file is something else. */
function parseStore(text: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== 1) return undefined;
    if (!('secrets' in value) || typeof value.secrets !== 'object' || value.secrets === null) return undefined;
    const entries = Object.entries(value.secrets);
    // One bad entry rejects the file: writing it back would lose that entry for good.
    return entries.every((entry): entry is [string, string] => isSecretName(entry[0]) && typeof entry[1] === 'string')
      ? new Map(entries)
      : undefined;
  } catch {
    return undefined;
  }
}
