import type { Args } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';

/** A string that is one placeholder and nothing else; partial placeholders would need text conversion. */
const wholePlaceholder = /^\{([^{}]+)\}$/;

/** Name of the argument if a template leaf is exactly `{name}`. */
const placeholderName = (leaf: string): string | undefined => wholePlaceholder.exec(leaf)?.[1];

/** Names of the arguments that a body template uses. */
export function templateArguments(template: Json | undefined): readonly string[] {
  if (typeof template === 'string') return [placeholderName(template) ?? []].flat();
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(templateArguments);
}

/** Fills arguments of any type into the template; placeholders without an argument are omitted. */
export function fillTemplate(template: Json, args: Args): Json | undefined {
  if (typeof template === 'string') {
    const name = placeholderName(template);
    return name === undefined ? template : ownValue(args, name);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (isJsonArray(template)) return template.flatMap((item) => fillTemplate(item, args) ?? []);
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(template)) {
    const value = item === undefined ? undefined : fillTemplate(item, args);
    if (value !== undefined)
      // Defined instead of assigned: a key `__proto__` in the template must stay data.
      Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

/** Own property only: `constructor` or `__proto__` must not resolve to inherited values (prototype pollution). */
export const ownValue = (args: Args | JsonObject, name: string): Json | undefined =>
  Object.hasOwn(args, name) ? args[name] : undefined;

/** Narrows to a list, since `Array.isArray` loses the element type. */
const isJsonArray = (value: Json): value is readonly Json[] => Array.isArray(value);
