import { posix } from 'node:path';
import type { Args } from '../core/call.js';
import type { Json } from '../core/json.js';
import { anyGlob } from '../lib/glob.js';
import { covers, overlaps, parseCidr } from '../net/cidrs.js';
import { matchesName, parseNamePattern, parseName } from '../net/host-names.js';

/** Condition on an argument; all given parts must match. */
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
  /** A missing argument matches as well. */
  readonly optional?: boolean;
}

/** Whether a value matches; `unclear` is a value that two parsers could interpret differently (parser differential). */
type Match = 'yes' | 'no' | 'unclear';
type Test = (value: Json) => Match;

/** Longer texts are not matched against patterns, since the cost grows with both lengths. */
const longestText = 65_536;

/** Whether the arguments match. */
export type ArgsTest = (args: Args) => boolean;

export type CompiledCondition =
  { readonly ok: true; readonly test: ArgsTest } | { readonly ok: false; readonly problem: string };

/**
 * Compiles one condition. To allow, every value at the path must certainly match; to restrict, one value that may match is enough,
 * so that a list, a missing field or an ambiguous spelling cannot bypass a rule.
 */
export function compileCondition(path: string, given: Condition, toAllow: boolean): CompiledCondition {
  const tests = compileChecks(given, toAllow);
  if (typeof tests === 'string') return { ok: false, problem: tests };
  if (tests.length === 0) return { ok: false, problem: 'sets no condition on the argument' };
  const keys = path.split('.');
  const { optional = false } = given;
  const fits = (value: Json): boolean =>
    tests.every(({ test, whole }) =>
      whole || !isList(value)
        ? isMatch(test(value), toAllow)
        : everyOrSome(value, (item) => isMatch(test(item), toAllow), toAllow),
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

const isMatch = (fit: Match, toAllow: boolean): boolean => fit === 'yes' || (fit === 'unclear' && !toAllow);
const everyOrSome = (list: readonly Json[], test: (item: Json) => boolean, toAllow: boolean): boolean =>
  toAllow ? list.every(test) : list.some(test);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const noValues = { values: [], missing: true } as const;

const fieldOf = (value: Json, key: string): Json | undefined =>
  typeof value === 'object' && value !== null && !isList(value) && Object.hasOwn(value, key)
    ? (value as { readonly [name: string]: Json | undefined })[key]
    : undefined; // an object that is no list

/** All values at a path; a list on the path contributes all of its items. */
function valuesAt(
  start: Json,
  keys: readonly string[],
): { readonly values: readonly Json[]; readonly missing: boolean } {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const value = fieldOf(start, only);
    return value === undefined ? noValues : { values: [value], missing: false };
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
  /** Tests a list as a whole instead of its items. */
  readonly whole?: boolean;
}

function compileChecks(given: Condition, toAllow: boolean): readonly Part[] | string {
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
  const yes = (is: boolean): Match => (is ? 'yes' : 'no');
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
    if (bad) return `contains ${bad.text}, which is not an address or a CIDR`;
    parts.push({
      test(value) {
        const inner = typeof value === 'string' ? parseCidr(value.trim()) : undefined;
        // To deny, an overlap is enough; to allow, the network must be inside, or a wide range would bypass the rule.
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
    const names = domain.map((text) => ({ text, name: parseNamePattern(text) }));
    const bad = names.find(({ name }) => name === undefined);
    if (bad) return `contains ${bad.text}, which is not a host name`;
    parts.push({
      test(value) {
        const host = typeof value === 'string' ? cachedHost(value) : undefined;
        return host === undefined || host === 'unclear'
          ? (host ?? 'no')
          : yes(names.some(({ name }) => name !== undefined && matchesName(name, host)));
      },
    });
  }
  if (folders) {
    const roots = folders.map((folder) => posix.normalize(folder).replace(/(?<=.)\/$/, ''));
    parts.push({ test: (value) => (typeof value === 'string' ? matchRoots(value, roots) : 'no') });
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

/** Cache of one entry: several rules test the same argument of the same call. */
let last: { readonly value: string; readonly host: Host } = { value: '', host: undefined };

function cachedHost(value: string): Host {
  if (last.value !== value) last = { value, host: parseHost(value) };
  return last.host;
}

/** Host of a URL or of `host[:port]`; spellings that URL parsers disagree about are unclear (SSRF bypass). */
function parseHost(value: string): Host {
  if (/[\s\\@\u0000-\u001f\u007f]/.test(value)) return 'unclear';
  let host = value;
  if (value.includes('://')) {
    try {
      host = new URL(value).hostname;
    } catch {
      return 'unclear';
    }
  } else host = value.replace(/[/?#].*$/, '').replace(/:\d{1,5}$/, '');
  const read = parseName(host);
  return read.ok ? read.name : undefined;
}

/** Whether a path is inside a folder after `.` and `..` are resolved (path traversal). Symbolic links are not followed: the tool must confine itself. */
function matchRoots(path: string, roots: readonly string[]): Match {
  // `~`, backslashes, NUL and encoded dots are expanded later, by the tool or its shell, to another path.
  if (path === '' || /[\u0000\\]|^~|%2[ef]|%5c/i.test(path)) return 'unclear';
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const isInside = (root: string): boolean =>
    root === '/' ? clean.startsWith('/') : clean === root || clean.startsWith(`${root}/`);
  if (roots.some(isInside)) return 'yes';
  // A relative path depends on the working directory of the tool.
  return !posix.isAbsolute(clean) && roots.some((root) => posix.isAbsolute(root)) ? 'unclear' : 'no';
}
