import { inspect } from 'node:util';
import { parseReference, referencePattern, variableOf } from './secret-references.js';

/** Values of stored references (`secret:NAME`, `file:/path`) by reference; a missing one is unset. */
export type StoredValues = ReadonlyMap<string, string>;

/**
 * A text with references: `${NAME}` and `${env:NAME}` to variables, `${secret:NAME}` to the secret store, `${file:/path}` to a
 * file. Contains no secret until it is resolved, and prints as its references only.
 */
export class SecretText {
  // Private fields are not visible to JSON, inspect, spreading or property enumeration.
  readonly #template: string;
  #stored: StoredValues = new Map();
  /** References in order, without duplicates; a variable is its bare name. */
  readonly names: readonly string[];

  constructor(template: string, names: readonly string[]) {
    this.#template = template;
    this.names = names;
    Object.freeze(this);
  }

  /** Attaches the values of stored references; the loader does so once, before the text is used. */
  bind(stored: StoredValues): void {
    this.#stored = stored;
  }

  /** Replaces all references, or returns the unset ones. */
  resolve(
    env: NodeJS.ProcessEnv,
  ): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] } {
    const unset = this.names.filter((name) => this.#valueOf(name, env) === undefined);
    if (unset.length > 0) return { ok: false, unset };
    return { ok: true, value: this.#replaceReferences((name) => this.#valueOf(name, env) ?? '') };
  }

  /** Values of the single references that are set. */
  values(env: NodeJS.ProcessEnv): readonly string[] {
    return this.names.flatMap((name) => this.#valueOf(name, env) ?? []);
  }

  /** Values from the secret store and from files; a variable may be no secret, such as HOME. */
  storedValues(): readonly string[] {
    return this.names.flatMap((name) => (variableOf(name) === undefined ? (this.#stored.get(name) ?? []) : []));
  }

  /** The text with `$NAME` in place of each value. */
  describe(): string {
    return this.#replaceReferences((name) => `$${name}`);
  }

  /** An empty value counts as unset: `Bearer ` would fail far from its cause. */
  #valueOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
    const variable = variableOf(name);
    if (variable === undefined) return this.#stored.get(name) || undefined;
    return (Object.hasOwn(env, variable) ? env[variable] : undefined) || undefined;
  }

  #replaceReferences(replace: (name: string) => string): string {
    return this.#template.replace(referencePattern, (_, reference?: string) =>
      reference === undefined ? '$' : replace(parseReference(reference) ?? ''),
    );
  }

  /** Whether the file contains the secret itself rather than a reference. */
  get isLiteral(): boolean {
    return this.names.length === 0;
  }

  /** Whether both have the same template and the same stored values. */
  equals(other: SecretText): boolean {
    return (
      this.#template === other.#template &&
      this.names.every((name) => this.#stored.get(name) === other.#stored.get(name))
    );
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

/** Parses a template: references as described above, `$$` is a dollar sign; reports an invalid reference. */
export function secretText(
  template: string,
): { readonly ok: true; readonly secret: SecretText } | { readonly ok: false; readonly message: string } {
  const names = new Set<string>();
  for (const [whole, reference] of template.matchAll(referencePattern)) {
    if (whole === '$$') continue;
    const name = whole.endsWith('}') && reference !== undefined ? parseReference(reference) : undefined;
    if (name === undefined)
      return {
        ok: false,
        message:
          'contains an invalid reference: write ${NAME} with letters, digits and _, ${secret:NAME}, ${file:/absolute/path}, or $$ for a dollar sign',
      };
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
