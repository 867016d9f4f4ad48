import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findConfigFile, loadConfig } from '../../config/load.js';
import { secretStore, type SecretStore } from '../../config/secrets/store.js';
import { userConfigFile } from '../../config/user-file.js';
import { yamlFile } from '../../config/yaml-file.js';
import type { JsonObject } from '../../core/json.js';
import { homeOf } from '../../serve/home.js';
import type { Io } from '../io.js';
import type { ReferenceOptions } from './secret-references.js';

/** The file to write: the one that is found from here, else the user's. */
export async function targetFile(config: string | undefined, io: Io): Promise<string> {
  const found = await findConfigFile(config === undefined ? [] : ['--config', config], io.env, process.cwd());
  return found?.path ?? userConfigFile(io.env);
}

/** Ids of the sources in a file; none if it does not exist or cannot be read, which writing it will report. */
export function presentSources(file: string): ReadonlySet<string> {
  const read = existsSync(file) ? yamlFile(readFileSync(file, 'utf8'), file) : undefined;
  const value = read?.ok === true ? (read.file.value as JsonObject | null) : undefined; // `sources` is checked next
  const sources = value?.['sources'];
  return new Set(typeof sources === 'object' && sources !== null ? Object.keys(sources) : []);
}

/** Places that an added source needs, beside the configuration file. */
export interface Target {
  readonly store: SecretStore;
  /** Folder of installed packages. */
  readonly packages: string;
  /** How values of this source become references. */
  references(id: string, declared?: ReadonlySet<string>): ReferenceOptions;
}

/** Opens the secret store of a file; a file that lacks a variable of another source can still be added to. */
export async function openTarget(file: string, home: string | undefined, io: Io): Promise<Target> {
  const argv = ['--config', file, ...(home === undefined ? [] : ['--home', resolve(home)])];
  const loaded = await loadConfig({
    env: io.env,
    ...(existsSync(file) ? { argv } : { argv: argv.slice(2) }),
    cwd: dirname(file),
  });
  const config = loaded.ok ? loaded.config : loaded.unusable?.config;
  const places = homeOf(io.env, config?.state.directory ?? home);
  const store = secretStore(places.folder);
  return {
    store,
    packages: places.packages,
    references: (id, declared = new Set()) => ({
      id,
      env: io.env,
      stored: (name) => store.get(name),
      hasHelper: (config?.secrets.helper.length ?? 0) > 0,
      declared,
      secrets: new Map(),
      missing: new Set(),
    }),
  };
}
