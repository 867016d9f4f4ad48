import type { SecretText } from '../lib/text/secret-text.js';
import { looksLikeLiteralSecret } from './literal-secret.js';

/** Whether the value of a header is a secret: it refers to a variable or looks like one; `Accept: text/html` is neither. */
export const isRedactable = (name: string, secret: SecretText): boolean =>
  !secret.isLiteral || secret.isWrittenAs((text) => looksLikeLiteralSecret(name, text) !== undefined);
