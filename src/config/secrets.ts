import { inspect } from 'node:util';

const REFERENCE = /\$\$|\$\{([^}]*)\}?/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** A text with `${NAME}` references; it holds no secret until it is resolved, and prints as its references only. */
export class SecretText {
  // A private field is the one thing that neither JSON, inspect, spreading nor a debugger's property walk shows.
  readonly #template: string;
  /** The variables it refers to, in order, each once. */
  readonly names: readonly string[];

  constructor(template: string, names: readonly string[]) {
    this.#template = template;
    this.names = names;
    Object.freeze(this);
  }

  /** The text with every reference replaced, or the names that are not set. */
  resolve(
    env: NodeJS.ProcessEnv,
  ): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] } {
    // An empty variable is as good as none: it would send `Bearer ` and fail far from its cause.
    const unset = this.names.filter((name) => !Object.hasOwn(env, name) || env[name] === undefined || env[name] === '');
    if (unset.length > 0) return { ok: false, unset };
    return {
      ok: true,
      value: this.#template.replace(REFERENCE, (_, name?: string) => (name === undefined ? '$' : (env[name] ?? ''))),
    };
  }

  /** Whether the file holds the text itself rather than a reference. */
  get isLiteral(): boolean {
    return this.names.length === 0;
  }

  /** Whether both were written the same. */
  equals(other: SecretText): boolean {
    return this.#template === other.#template;
  }

  /** Whether a lint finds something in the written template; the text itself stays inside. */
  isWrittenAs(test: (template: string) => boolean): boolean {
    return test(this.#template);
  }

  toString(): string {
    return this.names.length === 0 ? '[redacted]' : `[redacted ${this.names.map((name) => `\${${name}}`).join(' ')}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** Reads a template: `${NAME}` refers to a variable, `$$` is a dollar sign, a broken reference is said to be one. */
export function secretText(
  template: string,
): { readonly ok: true; readonly secret: SecretText } | { readonly ok: false; readonly message: string } {
  const names = new Set<string>();
  for (const [whole, name] of template.matchAll(REFERENCE)) {
    if (whole === '$$') continue;
    if (!whole.endsWith('}') || name === undefined || !NAME.test(name)) {
      return {
        ok: false,
        message: 'holds a broken reference: write ${NAME} with letters, digits and _, or $$ for a dollar sign',
      };
    }
    names.add(name);
  }
  return { ok: true, secret: new SecretText(template, [...names]) };
}

/** The value behind a reference, at the moment it is needed. */
export const resolveSecret = (ref: SecretText, env: NodeJS.ProcessEnv): ReturnType<SecretText['resolve']> =>
  ref.resolve(env);

/** Every secret in a value with the place where it stands. */
export function* secretsIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<{ readonly path: readonly (string | number)[]; readonly secret: SecretText }> {
  if (value instanceof SecretText) yield { path, secret: value };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* secretsIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* secretsIn(item, [...path, key]);
}
