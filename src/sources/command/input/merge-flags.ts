import type { Manifest } from '../manifest/manifest.js';
import type { Rejection } from './rejections.js';
import { parseFlagValue, type FlagValue } from './flag-values.js';

/** Flag values by argument name. */
export type FlagValues = ReadonlyMap<string, FlagValue>;

/** Values to run with, and the names of those set by defaults. */
interface MergedFlags {
  readonly values: FlagValues;
  readonly applied: readonly string[];
}

/** Merges the caller's flags, the template and the defaults, in that order of precedence. */
export function mergeFlags(
  manifest: Manifest,
  given: FlagValues,
  template: string | undefined,
): MergedFlags | Rejection {
  const { flags, templates } = manifest;
  // Exclusion is symmetric, although a manifest declares it on one side only.
  const clash = (one: string, other: string): boolean =>
    (flags[one]?.excludes.includes(other) ?? false) || (flags[other]?.excludes.includes(one) ?? false);
  const active = (values: FlagValues): readonly string[] =>
    [...values].filter(([, value]) => value !== false).map(([name]) => name);

  const givenNames = active(given);
  // Two flags of the caller that exclude each other are an error; a default that excludes one just yields.
  for (const [index, one] of givenNames.entries()) {
    const other = givenNames.slice(index + 1).find((name) => clash(one, name));
    if (other !== undefined)
      return { stage: 'semantics', field: one, message: `cannot be given together with ${other}` };
  }
  const values = new Map<string, FlagValue>(given);
  for (const [name, value] of Object.entries(templates[template ?? ''] ?? {})) {
    const flag = flags[name];
    // Flags of the caller take precedence over the template.
    if (flag === undefined || values.has(name) || givenNames.some((other) => clash(name, other))) continue;
    const result = parseFlagValue(flag, value);
    if (result.ok) values.set(name, result.value);
  }
  const applied: string[] = [];
  const present = [...active(values)];
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.default === undefined || values.has(name)) continue;
    if (present.some((other) => flag.default_unless.includes(other) || clash(name, other))) continue;
    const result = parseFlagValue(flag, flag.default);
    if (!result.ok) continue;
    values.set(name, result.value);
    applied.push(name);
    // A later default may exclude this one.
    if (result.value !== false) present.push(name);
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
