import { posix } from 'node:path';
import type { Args } from '../core/call.js';
import type { Json } from '../core/json.js';
import { anyGlob } from '../lib/glob.js';
import { covers, overlaps, parseCidr } from '../net/cidrs.js';
import { matchesName, namePattern, readName } from '../net/names.js';

/** What an argument must be; everything given must hold. */
export interface Condition {
  readonly equals?: Json;
  readonly one_of?: readonly Json[];
  readonly glob?: readonly string[];
  readonly cidr?: readonly string[];
  readonly domain?: readonly string[];
  readonly path_prefix?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  /** An argument that is absent fits as well. */
  readonly optional?: boolean;
}

/** Whether a value fits; `unclear` is a value made so that two readers could understand it differently. */
type Fit = 'yes' | 'no' | 'unclear';
type Test = (value: Json) => Fit;

/** A longer text is not held against patterns: their cost grows with both. */
const longestText = 65_536;

/** Says whether the arguments fit. */
export type ArgsTest = (args: Args) => boolean;

export type Compiled =
  { readonly ok: true; readonly test: ArgsTest } | { readonly ok: false; readonly problem: string };

/**
 * Compiles one condition. To allow, every value at the path must fit for certain; to restrict, one that may fit is enough: a
 * list, a missing field or a doubtful spelling never gets more than a plain value would.
 */
export function condition(path: string, given: Condition, toAllow: boolean): Compiled {
  const tests = testsOf(given, toAllow);
  if (typeof tests === 'string') return { ok: false, problem: tests };
  if (tests.length === 0) return { ok: false, problem: 'says nothing about the argument' };
  const keys = path.split('.');
  const { optional = false } = given;
  const fits = (value: Json): boolean =>
    tests.every(({ test, whole }) =>
      whole || !isList(value)
        ? decided(test(value), toAllow)
        : each(value, (item) => decided(test(item), toAllow), toAllow),
    );
  return {
    ok: true,
    test(args) {
      const { values, missing } = valuesAt(args as Json, keys);
      if (values.length === 0) return missing && optional;
      return toAllow ? (!missing || optional) && values.every(fits) : values.some(fits);
    },
  };
}

const decided = (fit: Fit, toAllow: boolean): boolean => fit === 'yes' || (fit === 'unclear' && !toAllow);
const each = (list: readonly Json[], test: (item: Json) => boolean, toAllow: boolean): boolean =>
  toAllow ? list.every(test) : list.some(test);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const nothingThere = { values: [], missing: true } as const;

const fieldOf = (value: Json, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && !isList(value) && Object.hasOwn(value, key)
    ? (value as { readonly [name: string]: Json | undefined })[key]
    : undefined; // an object that is no list

/** Every value at a path; a list on the way stands for all of its items. */
function valuesAt(
  start: Json,
  keys: readonly string[],
): { readonly values: readonly Json[]; readonly missing: boolean } {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const value = fieldOf(start, only);
    return value === undefined ? nothingThere : { values: [value], missing: false };
  }
  let here: readonly Json[] = [start];
  let missing = false;
  for (const key of keys) {
    const next: Json[] = [];
    for (const value of here.flatMap((item) => (isList(item) ? item : [item]))) {
      const inner = fieldOf(value, key);
      if (inner === undefined) missing = true;
      else next.push(inner);
    }
    here = next;
  }
  return { values: here, missing: missing || here.length === 0 };
}

interface Part {
  readonly test: Test;
  /** Looks at a list as a whole. */
  readonly whole?: boolean;
}

function testsOf(given: Condition, toAllow: boolean): readonly Part[] | string {
  const parts: Part[] = [];
  const {
    equals,
    one_of: oneOf,
    glob,
    cidr,
    domain,
    path_prefix: folders,
    min,
    max,
    min_length: shortest,
    max_length: longest,
  } = given;
  const yes = (is: boolean): Fit => (is ? 'yes' : 'no');
  if (equals !== undefined) parts.push({ test: (value) => yes(value === equals) });
  if (oneOf) parts.push({ test: (value) => yes(oneOf.includes(value)) });
  if (glob) {
    const fits = anyGlob(glob);
    parts.push({
      test: (value) => (typeof value !== 'string' ? 'no' : value.length > longestText ? 'unclear' : yes(fits(value))),
    });
  }
  if (cidr) {
    const networks = cidr.map((text) => ({ text, network: parseCidr(text) }));
    const bad = networks.find(({ network }) => network === undefined);
    if (bad) return `holds ${bad.text}, which is not a network`;
    parts.push({
      test(value) {
        const inner = typeof value === 'string' ? parseCidr(value.trim()) : undefined;
        // A network that reaches into a forbidden one is as forbidden; to be allowed it must lie inside.
        return inner === undefined
          ? 'no'
          : yes(
              networks.some(
                ({ network }) => network !== undefined && (toAllow ? covers(network, inner) : overlaps(network, inner)),
              ),
            );
      },
    });
  }
  if (domain) {
    const names = domain.map((text) => ({ text, name: namePattern(text) }));
    const bad = names.find(({ name }) => name === undefined);
    if (bad) return `holds ${bad.text}, which is not a name`;
    parts.push({
      test(value) {
        const host = typeof value === 'string' ? hostOf(value) : undefined;
        return host === undefined || host === 'unclear'
          ? (host ?? 'no')
          : yes(names.some(({ name }) => name !== undefined && matchesName(name, host)));
      },
    });
  }
  if (folders) {
    const roots = folders.map((folder) => posix.normalize(folder).replace(/(?<=.)\/$/, ''));
    parts.push({ test: (value) => (typeof value === 'string' ? insideAny(value, roots) : 'no') });
  }
  if (min !== undefined) parts.push({ test: (value) => (typeof value === 'number' ? yes(value >= min) : 'unclear') });
  if (max !== undefined) parts.push({ test: (value) => (typeof value === 'number' ? yes(value <= max) : 'unclear') });
  if (shortest !== undefined)
    parts.push({
      whole: true,
      test: (value) => (typeof value === 'string' || isList(value) ? yes(value.length >= shortest) : 'unclear'),
    });
  if (longest !== undefined)
    parts.push({
      whole: true,
      test: (value) => (typeof value === 'string' || isList(value) ? yes(value.length <= longest) : 'unclear'),
    });
  return parts;
}

type Host = string | 'unclear' | undefined;

/** Several rules ask about the same argument of the same call. */
let last: { readonly value: string; readonly host: Host } = { value: '', host: undefined };

function hostOf(value: string): Host {
  if (last.value !== value) last = { value, host: readHost(value) };
  return last.host;
}

/** The host of a URL or of `host[:port]`; spellings in which parsers see different hosts are unclear. */
function readHost(value: string): Host {
  if (/[\s\\@\u0000-\u001f\u007f]/.test(value)) return 'unclear';
  let host = value;
  if (value.includes('://')) {
    try {
      host = new URL(value).hostname;
    } catch {
      return 'unclear';
    }
  } else host = value.replace(/[/?#].*$/, '').replace(/:\d{1,5}$/, '');
  const read = readName(host);
  return read.ok ? read.name : undefined;
}

/** Whether a path lies in a folder once `.` and `..` are resolved; links are not followed, the tool itself must not leave its root. */
function insideAny(path: string, roots: readonly string[]): Fit {
  // A home, a drive, an escape or an encoded dot is resolved by someone else, and to something else.
  if (path === '' || /[\u0000\\]|^~|%2[ef]|%5c/i.test(path)) return 'unclear';
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const isInside = (root: string): boolean =>
    root === '/' ? clean.startsWith('/') : clean === root || clean.startsWith(`${root}/`);
  if (roots.some(isInside)) return 'yes';
  // Where a relative path leads depends on a folder that nobody named.
  return !posix.isAbsolute(clean) && roots.some((root) => posix.isAbsolute(root)) ? 'unclear' : 'no';
}
