import { isAbsolute } from 'node:path';

/** Matches `$$` and a reference; the group is the text between the braces. */
export const referencePattern = /\$\$|\$\{([^}]*)\}?/g;

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Names in the secret store and paths of a vault (`op://vault/item`); no leading dash: a helper program gets it as an argument. */
const secretName = /^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,199}$/;

/** Normalizes a reference: a variable to its bare name, a stored value to `secret:NAME` or `file:/path`; undefined if invalid. */
export function parseReference(text: string): string | undefined {
  if (variableName.test(text)) return text;
  const colon = text.indexOf(':');
  const [scheme, rest] = [text.slice(0, colon), text.slice(colon + 1)];
  if (scheme === 'env') return variableName.test(rest) ? rest : undefined;
  if (scheme === 'secret') return isSecretName(rest) ? text : undefined;
  if (scheme === 'file') return isAbsolute(rest) && rest.length <= 4096 && !/[\0\n$]/.test(rest) ? text : undefined;
  return undefined;
}

export const isSecretName = (name: string): boolean => secretName.test(name);

/** The variable that a normalized reference names; undefined if it is a stored value. */
export const variableOf = (reference: string): string | undefined => (reference.includes(':') ? undefined : reference);

/** What a normalized reference to a stored value names. */
export function storedReference(
  reference: string,
): { readonly kind: 'secret' | 'file'; readonly name: string } | undefined {
  const colon = reference.indexOf(':');
  if (colon < 0) return undefined;
  return { kind: reference.startsWith('file:') ? 'file' : 'secret', name: reference.slice(colon + 1) };
}
