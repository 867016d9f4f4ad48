import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { environmentLayer, flagsLayer } from '../config/layers.js';
import type { Config } from '../config/schema.js';
import { canonicalJson } from '../lib/json/canonical-json.js';
import { sha256 } from '../lib/hash.js';
import { variableOf } from '../lib/text/secret-references.js';
import { secretsIn } from '../lib/text/secret-text.js';
import type { Json } from '../core/json.js';
import { kindOf, type SourceKind } from '../sources/kind.js';

/** Which gate an assistant means, as far as it is known without loading the configuration. */
export interface GateIdentity {
  /** Absolute path of the configuration file; null without one. */
  readonly file: string | null;
  /** SHA-256 of the file; '' without one. */
  readonly digest: string;
  /** Settings from the environment and the command line that change what the gate does. */
  readonly settings: string;
}

/** Settings of one listener or one process: gates that differ only in these are the same gate. */
const ownSettings = [/^server\.(transport|host|port|shutdown_grace_period)$/, /^log\./, /^state\.directory$/];

/** The identity that a command line asks for. */
export function identityOf(
  file: string | undefined,
  { argv, env, cwd }: { readonly argv: readonly string[]; readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): GateIdentity {
  const flags = flagsLayer(argv);
  const given = new Map([...environmentLayer(env).values, ...flags.values]);
  const settings = [...given].filter(([path]) => !ownSettings.some((one) => one.test(path)));
  // Without a file, relative folders refer to the working directory.
  const base = file === undefined && given.has('commands.directories') ? [['base', resolve(cwd)]] : [];
  return {
    file: file ?? null,
    digest: fileDigest(file),
    // Values of settings are parsed JSON types.
    settings: canonicalJson([...settings, ...base, ['insecure', flags.insecureDev]] as Json),
  };
}

/** SHA-256 of a configuration file; '' if there is none. */
export function fileDigest(file: string | undefined): string {
  try {
    return file === undefined ? '' : sha256(readFileSync(file));
  } catch {
    return '';
  }
}

/** Environment variables that a configuration names: in secrets, and those that its sources pass on. */
export function namedVariables(config: Config, kinds: readonly SourceKind[]): readonly string[] {
  const names = new Set<string>();
  for (const { secret } of secretsIn(config))
    for (const name of secret.names.flatMap((one) => variableOf(one) ?? [])) names.add(name);
  for (const entry of Object.values(config.sources))
    for (const name of kindOf(entry, kinds).references?.(entry).variables ?? []) names.add(name);
  return [...names].sort();
}

/**
 * Hash of the values of these variables. Two assistants that bring different secrets must not share a gate, else one would act with
 * the credentials of the other (confused deputy).
 */
export const environmentHash = (names: readonly string[], env: NodeJS.ProcessEnv): string =>
  sha256(canonicalJson(names.map((name) => [name, env[name] ?? null])));
