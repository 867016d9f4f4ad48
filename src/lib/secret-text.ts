import { inspect } from 'node:util';

const referencePattern = /\$\$|\$\{([^}]*)\}?/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** A text with `${NAME}` references; contains no secret until it is resolved, and prints as its references only. */
export class SecretText {
  // A private field is not visible to JSON, inspect, spreading or property enumeration.
  readonly #template: string;
  /** Referenced variables in order, without duplicates. */
  readonly names: readonly string[];

  constructor(template: string, names: readonly string[]) {
    this.#template = template;
    this.names = names;
    Object.freeze(this);
  }

  /** Replaces all references, or returns the unset names. */
  resolve(
    env: NodeJS.ProcessEnv,
  ): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] } {
    // An empty variable counts as unset: `Bearer ` would fail far from its cause.
    const unset = this.names.filter((name) => !Object.hasOwn(env, name) || env[name] === undefined || env[name] === '');
    if (unset.length > 0) return { ok: false, unset };
    return {
      ok: true,
      value: this.#template.replace(referencePattern, (_, name?: string) =>
        name === undefined ? '$' : (env[name] ?? ''),
      ),
    };
  }

  /** Whether the file contains the secret itself rather than a reference. */
  get isLiteral(): boolean {
    return this.names.length === 0;
  }

  /** Whether both have the same template. */
  equals(other: SecretText): boolean {
    return this.#template === other.#template;
  }

  /** Tests the template for a lint without exposing it. */
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

/** Parses a template: `${NAME}` refers to a variable, `$$` is a dollar sign; reports an invalid reference. */
export function secretText(
  template: string,
): { readonly ok: true; readonly secret: SecretText } | { readonly ok: false; readonly message: string } {
  const names = new Set<string>();
  for (const [whole, name] of template.matchAll(referencePattern)) {
    if (whole === '$$') continue;
    if (!whole.endsWith('}') || name === undefined || !variableName.test(name)) {
      return {
        ok: false,
        message: 'contains an invalid reference: write ${NAME} with letters, digits and _, or $$ for a dollar sign',
      };
    }
    names.add(name);
  }
  return { ok: true, secret: new SecretText(template, [...names]) };
}

/** Resolves a reference when it is needed. */
export const resolveSecret = (ref: SecretText, env: NodeJS.ProcessEnv): ReturnType<SecretText['resolve']> =>
  ref.resolve(env);

/** Yields every secret in a value with its path. */
export function* secretsIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<{ readonly path: readonly (string | number)[]; readonly secret: SecretText }> {
  if (value instanceof SecretText) yield { path, secret: value };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* secretsIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* secretsIn(item, [...path, key]);
}
