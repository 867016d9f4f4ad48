import type { Config } from '../config/schema.js';
import { secretsIn, type SecretText } from '../config/secrets.js';
import { looksLikeLiteralSecret } from '../hostile-text/literal-secret.js';

/** Whether the value of a header is a secret: it refers to a variable or looks like one; `Accept: text/html` is neither. */
export const isRedactable = (name: string, secret: SecretText): boolean =>
  !secret.isLiteral || secret.isWrittenAs((text) => looksLikeLiteralSecret(name, text) !== undefined);

/** Resolved secrets of the configuration, to be redacted in logs. */
export function* secretValues(config: Config, env: NodeJS.ProcessEnv): Generator<string> {
  for (const { path, secret } of secretsIn(config)) {
    // Headers may contain plain values; redacting `application/json` would blank every log line that contains it.
    if (path.includes('headers') && !isRedactable(String(path.at(-1)), secret)) continue;
    const resolved = secret.resolve(env);
    if (resolved.ok) yield resolved.value;
  }
}
