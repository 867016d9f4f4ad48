import type { Args } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';

const whole = /^\{([^{}]+)\}$/;

/** The argument a leaf of a body template stands for, if it stands for one. */
const named = (leaf: string): string | undefined => whole.exec(leaf)?.[1];

/** The arguments a body template uses. */
export function namesIn(template: Json | undefined): readonly string[] {
  if (typeof template === 'string') return [named(template) ?? []].flat();
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(namesIn);
}

/** The template with arguments in place, whatever their type; a place whose argument was not given is left out. */
export function filled(template: Json, args: Args): Json | undefined {
  if (typeof template === 'string') {
    const name = named(template);
    return name === undefined ? template : own(args, name);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (isList(template)) return template.flatMap((item) => filled(item, args) ?? []);
  const made: Record<string, Json> = {};
  for (const [key, item] of Object.entries(template)) {
    const value = item === undefined ? undefined : filled(item, args);
    if (value !== undefined)
      Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

/** An argument by name, never something inherited. */
export const own = (args: Args | JsonObject, name: string): Json | undefined =>
  Object.hasOwn(args, name) ? args[name] : undefined;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
