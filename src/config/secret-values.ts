import { isRedactable } from '../hostile-text/redactable.js';
import { secretsIn } from '../lib/text/secret-text.js';
import type { Config } from './schema.js';

/** Resolved secrets of the configuration, to be redacted in logs. */
export function* secretValues(config: Config, env: NodeJS.ProcessEnv): Generator<string> {
  for (const { path, secret } of secretsIn(config)) {
    // Headers may contain plain values; redacting `application/json` would blank every log line that contains it.
    if (path.includes('headers') && !isRedactable(String(path.at(-1)), secret)) continue;
    const resolved = secret.resolve(env);
    if (resolved.ok) yield resolved.value;
    yield* secret.storedValues();
  }
}
