import { readFile, stat } from 'node:fs/promises';
import { storedReference } from '../../lib/text/secret-references.js';
import { secretsIn, type StoredValues } from '../../lib/text/secret-text.js';
import type { Config } from '../schema.js';
import { stateFolder } from '../state-folder.js';
import { maxSecretBytes, secretStore, secretStoreFile } from './store.js';

/** Values of stored references, and why others have none. */
interface StoredReferences {
  readonly values: StoredValues;
  readonly problems: ReadonlyMap<string, string>;
}

/** Reads everything that `${secret:…}` and `${file:…}` of a configuration refer to, and binds it to the texts. */
export async function bindStoredValues(config: Config, env: NodeJS.ProcessEnv): Promise<StoredReferences> {
  const texts = [...secretsIn(config)].map(({ secret }) => secret);
  const references = [...new Set(texts.flatMap(({ names }) => names))].flatMap((reference) => {
    const stored = storedReference(reference);
    return stored === undefined ? [] : [{ reference, ...stored }];
  });
  const values = new Map<string, string>();
  const problems = new Map<string, string>();
  // The common case: no store is opened.
  if (references.length === 0) return { values, problems };
  const store = secretStore(stateFolder(env, config.state.directory));
  await Promise.all(
    references.map(async ({ reference, kind, name }) => {
      try {
        const value =
          // The store first: a helper may ask a person or take seconds.
          kind === 'file' ? await readSecretFile(name) : (store.get(name) ?? (await askHelper(config, name, env)));
        if (value === undefined) problems.set(reference, `${name} is not in the secret store`);
        else if (value === '') problems.set(reference, `${name} is empty`);
        else values.set(reference, value);
      } catch (error) {
        problems.set(reference, error instanceof Error ? error.message : String(error));
      }
    }),
  );
  // Bound to the texts, so that `resolve` stays synchronous.
  for (const text of texts) text.bind(values);
  return { values, problems };
}

/** A value without its final line break, as secret files of containers have one. */
async function readSecretFile(path: string): Promise<string> {
  try {
    const stats = await stat(path);
    // A pipe or device may never end.
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    if (stats.size > maxSecretBytes) throw new Error(`${path} is larger than ${maxSecretBytes} bytes`);
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new Error(`cannot read ${path} (${String(error.code)})`, { cause: error });
    throw error;
  }
}

/** Value from the helper program; loaded on demand, since few configurations have one. */
async function askHelper({ secrets }: Config, name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (secrets.helper.length === 0) return undefined;
  const { runHelper } = await import('../../processes/helper-program.js');
  return runHelper(secrets.helper, name, { env, timeoutMs: secrets.timeout * 1000, maxBytes: maxSecretBytes });
}

/** Files that a configuration reads secrets from; local servers must not see them. */
export const secretFiles = (config: Config): readonly string[] => [
  ...new Set(
    [...secretsIn(config)].flatMap(({ secret }) =>
      secret.names.flatMap((reference) => {
        const stored = storedReference(reference);
        return stored?.kind === 'file' ? [stored.name] : [];
      }),
    ),
  ),
];

/** Files whose change changes the secrets of a configuration; a running gateway watches them. */
export const secretSources = (config: Config, env: NodeJS.ProcessEnv): readonly string[] => [
  secretStoreFile(stateFolder(env, config.state.directory)),
  ...secretFiles(config),
];
