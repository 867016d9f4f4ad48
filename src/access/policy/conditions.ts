import { posix } from 'node:path';
import type { Args } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import { anyGlob } from '../../lib/text/glob.js';
import { covers, overlaps, parseCidr, type Cidr } from '../../net/addresses/cidrs.js';
import { matchesName, parseNamePattern, type NamePattern } from '../../net/addresses/host-names.js';
import { readHost, type HostReading } from '../../net/addresses/host-reading.js';

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

type CompiledCondition =
  { readonly ok: true; readonly test: ArgsTest } | { readonly ok: false; readonly problem: string };

/**
 * Compiles one condition. To allow, every value at the path must certainly match; to restrict, one value that may match is enough,
 * so that a list, a missing field or an ambiguous spelling cannot bypass a rule.
 */
export function compileCondition(path: string, given: Condition, toAllow: boolean): CompiledCondition {
  const tests = compileChecks(given, toAllow);
  if (typeof tests === 'string') return { ok: false, problem: tests };
  if (tests.length === 0) return { ok: false, problem: 'sets no condition on the argument' };
  // Compiled once at load: a rule is tested on every call.
  const keys = path.split('.');
  const { optional = false } = given;
  const fits = (value: Json): boolean =>
    tests.every(({ test, whole }) => {
      // Lists in lists are flattened: a tool may do the same, and one level more must not hide a value.
      const items = whole ? listsIn(value) : toAllow ? flatten(value) : valuesIn(value);
      return everyOrSome(items, (item) => isMatch(test(item), toAllow), toAllow);
    });
  return {
    ok: true,
    test(args) {
      const { values, missing } = valuesAt(args as Json, keys);
      // No value at the path: only an optional condition matches, so that a deny rule does not fire on an absent argument by
      // accident.
      if (values.length === 0) return missing && optional;
      return toAllow ? (!missing || optional) && values.every(fits) : values.some(fits);
    },
  };
}

/** The asymmetry of the policy: what is ambiguous fails an allow rule and triggers a restriction (fail closed). */
const isMatch = (fit: Match, toAllow: boolean): boolean => fit === 'yes' || (fit === 'unclear' && !toAllow);
const everyOrSome = (list: readonly Json[], test: (item: Json) => boolean, toAllow: boolean): boolean =>
  toAllow ? list.every(test) : list.some(test);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value);

/** All items of a list and of the lists in it, at any depth; the depth of JSON is bounded by the transports. */
const flatten = (value: Json): readonly Json[] => (isList(value) ? value.flatMap(flatten) : [value]);

/** The list and the lists in it. */
const listsIn = (value: Json): readonly Json[] => [
  value,
  ...(isList(value) ? value.flatMap((item) => (isList(item) ? listsIn(item) : [])) : []),
];

/** All values in a list or an object, at any depth, and the objects: a tool that unwraps `{ value: "x" }` acts on x. */
const valuesIn = (value: Json): readonly Json[] =>
  isList(value)
    ? value.flatMap(valuesIn)
    : isObject(value)
      ? [value, ...Object.values(value).flatMap((item) => (item === undefined ? [] : valuesIn(item)))]
      : [value];

const noValues = { values: [], missing: true } as const;

// Own properties only: `__proto__` and `constructor` must not be found on the prototype.
const fieldOf = (value: Json, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** All values at a path; a list on the path contributes all of its items. */
function valuesAt(
  start: Json,
  keys: readonly string[],
): { readonly values: readonly Json[]; readonly missing: boolean } {
  const [only] = keys;
  // The common case, a top-level argument, needs no walk.
  if (keys.length === 1 && only !== undefined) {
    const value = fieldOf(start, only);
    return value === undefined ? noValues : { values: [value], missing: false };
  }
  let here: readonly Json[] = [start];
  let missing = false;
  for (const key of keys) {
    const next: Json[] = [];
    for (const value of flatten(here)) {
      const inner = fieldOf(value, key);
      // Remembered beside the values: an allow rule must fail if one item of a list lacks the field.
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
  if (equals !== undefined) parts.push({ test: (value) => matchValues(value, [equals]) });
  if (oneOf) parts.push({ test: (value) => matchValues(value, oneOf) });
  if (glob) {
    const fits = anyGlob(glob);
    parts.push({
      test(value) {
        // A number or a boolean may be turned into text by the tool, so a match of its text is possible but not certain.
        if (typeof value !== 'string')
          return (typeof value !== 'object' || value === null) && fits(String(value)) ? 'unclear' : 'no';
        // An oversized text is unclear instead of unmatched: padding must not bypass a deny rule.
        return value.length > longestText ? 'unclear' : yes(fits(value));
      },
    });
  }
  if (cidr) {
    const networks = cidr.map((text) => ({ text, network: parseCidr(text) }));
    const bad = networks.find(({ network }) => network === undefined);
    // A mistyped network stops the load; ignored, it would silently widen an allow list or narrow a deny list.
    if (bad) return `contains ${bad.text}, which is not an address or a CIDR`;
    const known = networks.flatMap(({ network }) => network ?? []);
    parts.push({ test: (value) => matchNetworks(value, known, toAllow) });
  }
  if (domain) {
    const names = domain.map((text) => ({ text, name: parseNamePattern(text) }));
    const bad = names.find(({ name }) => name === undefined);
    if (bad) return `contains ${bad.text}, which is not a host name`;
    const known = names.flatMap(({ name }) => name ?? []);
    parts.push({ test: (value) => matchNames(value, known) });
  }
  if (folders) {
    // Normalised like the paths they are compared with; a trailing slash must not make a difference.
    const roots = folders.map((folder) => posix.normalize(folder).replace(/(?<=.)\/$/, ''));
    parts.push({
      test(value) {
        // An allow rule accepts strings only: a number that becomes a path is not certainly the folder.
        const text = toAllow && typeof value !== 'string' ? undefined : textOf(value);
        return text === undefined ? withoutText(value) : matchRoots(text, roots, toAllow);
      },
    });
  }
  // A value that is not a number may be converted by the tool ("5"), so it is unclear rather than outside.
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

/** Cache of one entry: several rules test the same argument of the same call. */
let last: { readonly value: string; readonly reading: HostReading } = { value: '', reading: { kind: 'none' } };

function hostIn(value: string): HostReading {
  if (last.value !== value) last = { value, reading: readHost(value) };
  return last.reading;
}

/** Text of a value that a program would read as a host or a path: a number is the integer form of an IPv4 address. */
const textOf = (value: Json): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** An object in the place of a host cannot be read; true, false and null are none. */
const withoutText = (value: Json): Match => (typeof value === 'object' && value !== null ? 'unclear' : 'no');

/** To allow, the text must be an address or a network inside one of these; to restrict, an overlap of what it can reach is enough. */
function matchNetworks(value: Json, networks: readonly Cidr[], toAllow: boolean): Match {
  const text = textOf(value);
  if (text === undefined) return withoutText(value);
  // Only plain addresses and networks can allow: a host name could resolve to anything (DNS rebinding).
  if (toAllow) {
    const inner = typeof value === 'string' ? parseCidr(text.trim()) : undefined;
    return inner !== undefined && networks.some((network) => covers(network, inner)) ? 'yes' : 'no';
  }
  const reading = hostIn(text);
  if (reading.kind === 'unclear') return 'unclear';
  return reading.kind === 'address' && reading.networks.some((one) => networks.some((other) => overlaps(one, other)))
    ? 'yes'
    : 'no';
}

function matchNames(value: Json, names: readonly NamePattern[]): Match {
  const text = textOf(value);
  if (text === undefined) return withoutText(value);
  const reading = hostIn(text);
  if (reading.kind === 'unclear') return 'unclear';
  const name = reading.kind === 'name' ? reading.name : undefined;
  return name !== undefined && names.some((pattern) => matchesName(pattern, name)) ? 'yes' : 'no';
}

/** Whether two primitive values are equal after a conversion that a program may make: 5 and "5", true and "true". */
const mayEqual = (one: Json, other: Json): boolean =>
  typeof one !== typeof other &&
  (typeof one !== 'object' || one === null) &&
  (typeof other !== 'object' || other === null) &&
  (String(one) === String(other) || (isNumeric(one) && isNumeric(other) && Number(one) === Number(other)));
const isNumeric = (value: Json): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value)));

// Strict equality is certain; equality after a conversion by the tool is only possible.
const matchValues = (value: Json, wanted: readonly Json[]): Match =>
  wanted.includes(value) ? 'yes' : wanted.some((one) => mayEqual(one, value)) ? 'unclear' : 'no';

/** Whether a path is inside a folder after `.` and `..` are resolved (path traversal). Symbolic links are not followed: the tool must confine itself. */
function matchRoots(path: string, roots: readonly string[], toAllow: boolean): Match {
  // `~`, backslashes, NUL and encoded dots are expanded later, by the tool or its shell, to another path.
  if (path === '' || /[\u0000\\]|^~|%2[ef]|%5c/i.test(path)) return 'unclear';
  if (!toAllow && mayExpand(path, roots)) return 'unclear';
  const clean = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const isInside = (root: string): boolean =>
    // The separator is part of the prefix: /srv/docs must not cover /srv/docs-private.
    root === '/' ? clean.startsWith('/') : clean === root || clean.startsWith(`${root}/`);
  if (roots.some(isInside)) return 'yes';
  // A relative path depends on the working directory of the tool.
  return !posix.isAbsolute(clean) && roots.some((root) => posix.isAbsolute(root)) ? 'unclear' : 'no';
}

/** Whether a shell, a decoder or the kernel may turn the path into one below a root; a reason to restrict, but not one against allowing. */
function mayExpand(path: string, roots: readonly string[]): boolean {
  if (/[$`]|%[0-9a-f]{2}|^file:|^\/proc\/.*\/(?:root|cwd|fd)(?:\/|$)|^\/dev\/fd/i.test(path)) return true;
  // The literal part before the first wildcard bounds what a glob can expand to.
  const [literal = ''] = path.split(/[*?[{]/, 1);
  return literal !== path && roots.some((root) => root.startsWith(literal) || literal.startsWith(root));
}
