import type { Manifest } from './manifest.js';
import type { Objection } from './refusals.js';
import { readValue, type FlagValue } from './values.js';

/** Values by argument name. */
export type Given = ReadonlyMap<string, FlagValue>;

/** The values to run with, and the names of those nobody asked for. */
export interface Combined {
  readonly values: Given;
  readonly applied: readonly string[];
}

/** Puts together what the caller gave, the template, and the defaults; what the caller gave always wins. */
export function combined(manifest: Manifest, given: Given, template: string | undefined): Combined | Objection {
  const { flags, templates } = manifest;
  const clash = (one: string, other: string): boolean =>
    (flags[one]?.excludes.includes(other) ?? false) || (flags[other]?.excludes.includes(one) ?? false);
  const active = (values: Given): readonly string[] =>
    [...values].filter(([, value]) => value !== false).map(([name]) => name);

  const asked = active(given);
  for (const [index, one] of asked.entries()) {
    const other = asked.slice(index + 1).find((name) => clash(one, name));
    if (other !== undefined)
      return { stage: 'semantics', field: one, message: `cannot be given together with ${other}` };
  }
  const values = new Map<string, FlagValue>(given);
  for (const [name, value] of Object.entries(templates[template ?? ''] ?? {})) {
    const flag = flags[name];
    if (flag === undefined || values.has(name) || asked.some((other) => clash(name, other))) continue;
    const reading = readValue(flag, value);
    if (reading.ok) values.set(name, reading.value);
  }
  const applied: string[] = [];
  const present = [...active(values)];
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.default === undefined || values.has(name)) continue;
    if (present.some((other) => flag.default_unless.includes(other) || clash(name, other))) continue;
    const reading = readValue(flag, flag.default);
    if (!reading.ok) continue;
    values.set(name, reading.value);
    applied.push(name);
    if (reading.value !== false) present.push(name);
  }
  const missing = Object.entries(flags).find(([name, flag]) => flag.required && !values.has(name));
  if (missing !== undefined)
    return {
      stage: 'semantics',
      field: missing[0],
      message: 'is required',
      ...(missing[1].example !== undefined && { example: missing[1].example }),
    };
  return { values, applied };
}
