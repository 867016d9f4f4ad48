import { looksLikeLiteralSecret } from '../../hostile-text/literal-secret.js';

/** Values to store, by name. */
export type NewSecrets = Map<string, string>;

export interface ReferenceOptions {
  /** Id of the source, to distinguish secrets of the same name. */
  readonly id: string;
  readonly env: NodeJS.ProcessEnv;
  /** Value in the secret store. */
  readonly stored: (name: string) => string | undefined;
  /** Keys that are secret by declaration, whatever their value looks like. */
  readonly declared?: ReadonlySet<string>;
  /** Filled with values that have to be stored. */
  readonly secrets: NewSecrets;
  /** Whether `secrets.helper` is set, which may hold any secret. */
  readonly hasHelper?: boolean;
  /** Filled with what has to be set first. */
  readonly missing: Set<string>;
}

/** Our own references, then those of clients: `${env:X}`, `${X}`, `{env:X}`, `$X` to variables; `${input:x}` and `${{ secrets.X }}` to a prompt or store. */
const clientReference =
  /\$\{((?:secret|file):[^}]+)\}|\$\{\{\s*(?:secrets|inputs)\.([A-Za-z_][\w-]*)\s*\}\}|\$\{input:([\w.-]+)\}|\$?\{env:([A-Za-z_]\w*)\}|\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}|\$([A-Z_][A-Z0-9_]*)\b/g;

/**
 * Converts a value of a client's file for the configuration: literal secrets become `${secret:NAME}`, references of the client
 * become ours. A variable that is not set here becomes a secret, since an assistant that starts the gateway would lack it too.
 */
export function toConfigValue(key: string, value: string, options: ReferenceOptions): string {
  const isDeclared = options.declared?.has(key) === true && value !== '' && value.search(clientReference) < 0;
  if (isDeclared || looksLikeLiteralSecret(key, value) !== undefined) return storeLiteral(key, value, options);
  let text = '';
  let at = 0;
  for (const match of value.matchAll(clientReference)) {
    const [whole, own, store, input, ...variables] = match;
    text += escapeDollars(value.slice(at, match.index));
    at = match.index + whole.length;
    if (own !== undefined) {
      const isUnset = own.startsWith('secret:') && options.stored(own.slice(7)) === undefined;
      if (isUnset && options.hasHelper !== true) options.missing.add(own.slice(7));
      text += whole;
      continue;
    }
    const variable = variables.find((name) => name !== undefined);
    const name = variable ?? store ?? input ?? '';
    if (variable !== undefined && options.env[variable]) text += `\${${variable}}`;
    else {
      if (options.stored(name) === undefined && !options.secrets.has(name)) options.missing.add(name);
      text += `\${secret:${name}}`;
    }
  }
  return text + escapeDollars(value.slice(at));
}

const escapeDollars = (text: string): string => text.replaceAll('$', '$$$$');

/** The part of `Bearer <token>` that is secret is stored alone. */
function storeLiteral(key: string, value: string, { id, stored, secrets }: ReferenceOptions): string {
  const [, scheme = '', token = value] = /^((?:Bearer|Basic|Token)\s+)(\S.*)$/i.exec(value) ?? [];
  const base = key.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase();
  const plain = /^(?:AUTHORIZATION|TOKEN|API_KEY|KEY|SECRET|PASSWORD|X_API_KEY)$/.test(base)
    ? `${id.replaceAll('-', '_').toUpperCase()}_${base}`
    : base;
  const isFree = (name: string): boolean =>
    [stored(name), secrets.get(name)].every((known) => known === undefined || known === token);
  let name = plain;
  for (let count = 1; !isFree(name); count += 1)
    name = count === 1 ? `${id.replaceAll('-', '_').toUpperCase()}_${base}` : `${plain}_${count}`;
  if (stored(name) === undefined) secrets.set(name, token);
  return `${scheme}\${secret:${name}}`;
}
