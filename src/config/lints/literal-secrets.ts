import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';
import { dotted } from '../problem.js';
import { SecretText } from '../../lib/text/secret-text.js';
import { leaves, type Lint } from './lint.js';

/** Finds literal secrets, which leak through backups, tickets and repositories. */
export const literalSecrets: Lint = (config) =>
  [...leaves(config)].flatMap(({ path, value }) => {
    // Indices of lists are no keys: the name of the list counts.
    const key = path.findLast((part) => !/^\d+$/.test(part)) ?? '';
    const isSecret = (text: string): boolean => looksLikeLiteralSecret(key, text) !== undefined;
    // A literal in a secret key is usually a secret, but headers also hold `Accept: text/html`, so its format counts too.
    const found =
      value instanceof SecretText
        ? value.isWrittenAs((text) => isSecret(text) || (value.isLiteral && key === 'token'))
        : typeof value === 'string' && isSecret(value);
    if (!found) return [];
    return [
      {
        rule: 'literal-secret',
        severity: 'error' as const,
        path: dotted(path),
        message: 'looks like a literal secret',
        hint: 'Put it into an environment variable and write ${NAME} here',
      },
    ];
  });
