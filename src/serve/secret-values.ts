import type { Config } from '../config/schema.js';
import { secretsIn, type SecretText } from '../config/secrets.js';
import { looksLikeLiteralSecret } from '../hostile-text/literal-secret.js';

/** Whether a text of a secret key is one: it refers to a variable, or looks like a secret; `Accept: text/html` is neither. */
export const isRedactable = (name: string, secret: SecretText): boolean =>
  !secret.isLiteral || secret.isWrittenAs((text) => looksLikeLiteralSecret(name, text) !== undefined);

/** Every secret that the configuration resolves to now, so that no log line can hold one. */
export function* secretValues(config: Config, env: NodeJS.ProcessEnv): Generator<string> {
  for (const { path, secret } of secretsIn(config)) {
    // `Accept: application/json` is written where a secret may stand; to hide it would blank every log line that names the type.
    if (path.includes('headers') && !isRedactable(String(path.at(-1)), secret)) continue;
    const resolved = secret.resolve(env);
    if (resolved.ok) yield resolved.value;
  }
}
