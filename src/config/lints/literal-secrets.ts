import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';
import { dotted } from '../problem.js';
import { SecretText } from '../secrets.js';
import { leaves, type Lint } from './finding.js';

/** Finds secrets written out in the file, where backups, tickets and repositories carry them on. */
export const literalSecrets: Lint = (config) =>
  [...leaves(config)].flatMap(({ path, value }) => {
    const key = path.findLast((part) => !/^\d+$/.test(part)) ?? '';
    const isSecret = (text: string): boolean => looksLikeLiteralSecret(key, text) !== undefined;
    // A key made for secrets holds one unless it refers; `Accept: text/html` in a header is why looks are asked as well.
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
        message: 'looks like a secret written out',
        hint: 'Put it into an environment variable and write ${NAME} here',
      },
    ];
  });
