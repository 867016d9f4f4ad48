import type { SecretText } from '../config/secrets.js';
import { looksLikeLiteralSecret } from '../lib/hostile-text/literal-secret.js';

/** Whether a text of a secret key is one: it refers to a variable, or looks like a secret; `Accept: text/html` is neither. */
export const isRedactable = (name: string, secret: SecretText): boolean =>
  !secret.isLiteral || secret.isWrittenAs((text) => looksLikeLiteralSecret(name, text) !== undefined);
