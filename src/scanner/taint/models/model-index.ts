import { anyPath, allSafe, danger, proofBit } from '../facts/danger-bits.js';
import { modelKinds, type ConditionName, type ModelKind, type ModelRow } from './rows.js';

/** One row, parsed. */
export interface Model {
  readonly kind: ModelKind;
  readonly positions: readonly number[];
  readonly names: readonly string[];
  readonly isReceiver: boolean;
  /** Positions and names in the order of the row. */
  readonly order: readonly (number | string)[];
  readonly out: string;
  /** Bits of the dangers in the fourth column; 0 for kinds without. */
  readonly safe: number;
  readonly condition: ConditionName | undefined;
}

/** Compiled tables. */
export interface ModelIndex {
  /** The model of a kind for a qualified name: an exact row first, then patterns, then rows for any receiver. */
  readonly find: (kind: ModelKind, name: string) => Model | undefined;
  /** Whether the name begins with a package of the kind. */
  readonly startsWithPackage: (kind: ModelKind, name: string) => boolean;
}

/** Bound against programs with generated names; clearing only costs time. */
const maxNames = 20_000;
const anyReceiver = '**';

/** Qualified name of a row, with its wildcards. */
export const qualifiedRowName = (library: string, member: string): string =>
  library === '' || member === '' || member.startsWith('(') ? library + member : `${library}.${member}`;

/** Bits of dangers by their names: `path command`, `all -url`. */
export function dangerBits(text: string): number {
  let bits = 0;
  for (const word of text.split(' ').filter((each) => each !== '' && each !== 'none')) {
    const name = word.replace(/^-/, '');
    const bit =
      name === 'all'
        ? allSafe
        : name === 'path'
          ? anyPath
          : ((danger as Readonly<Record<string, number>>)[name] ??
            (proofBit as Readonly<Record<string, number>>)[name]);
    // Fails at start-up: a misspelt danger would otherwise silently prove nothing.
    if (bit === undefined) throw new Error(`unknown danger ${name}`);
    bits = word.startsWith('-') ? bits & ~bit : bits | bit;
  }
  return bits;
}

function parseRow([, , given, out, kind, condition]: ModelRow): Model {
  const words = given.split(' ').filter((word) => word !== '' && word !== '*');
  return {
    kind,
    positions: words.filter((word) => /^\d+$/.test(word)).map(Number),
    names: words.filter((word) => !/^\d+$/.test(word) && word !== 'this'),
    isReceiver: words.includes('this'),
    order: words.filter((word) => word !== 'this').map((word) => (/^\d+$/.test(word) ? Number(word) : word)),
    out,
    safe: modelKinds[kind].out === 'dangers' ? dangerBits(out) : 0,
    condition,
  };
}

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

/** `**.` is any number of names in between, `**` any text, `*` any letters of one name. */
const patternOf = (name: string): RegExp =>
  new RegExp(
    `^${name
      .split(/(\*\*\.|\*\*|\*)/)
      .map((part) => (part === '**.' ? '(?:.*\\.)?' : part === '**' ? '.*' : part === '*' ? '\\w*' : escaped(part)))
      .join('')}$`,
  );

type ByKind = Map<ModelKind, Model>;

const put = (index: Map<string, ByKind>, name: string, model: Model): void => {
  const held = index.get(name) ?? new Map<ModelKind, Model>();
  held.set(model.kind, model);
  index.set(name, held);
};

/** Compiles tables; what a name matches is remembered, because a program has few distinct names and thousands of calls. */
export function modelIndex(rows: readonly ModelRow[]): ModelIndex {
  const exact = new Map<string, ByKind>();
  const methods = new Map<string, ByKind>();
  const patterns: { readonly pattern: RegExp; readonly last: string | undefined; readonly model: Model }[] = [];
  const packages = new Map<string, Set<ModelKind>>();
  for (const row of rows) {
    const [library, member] = row;
    const model = parseRow(row);
    const name = qualifiedRowName(library, member);
    if (library === anyReceiver && !member.includes('*')) put(methods, member, model);
    else if (name.includes('*')) {
      // The last segment is compared before the pattern runs, which rejects most rows cheaply.
      const last = name.slice(name.lastIndexOf('.') + 1);
      patterns.push({ pattern: patternOf(name), last: last.includes('*') ? undefined : last, model });
    } else put(exact, name, model);
    if (member === '') packages.set(library, (packages.get(library) ?? new Set()).add(model.kind));
  }
  const known = new Map<string, ByKind>();
  const matchesOf = (name: string): ByKind => {
    const before = known.get(name);
    if (before) return before;
    const found: ByKind = new Map(exact.get(name));
    const add = (model: Model): void => {
      // The first match of a kind wins, so that exact rows override patterns.
      if (!found.has(model.kind)) found.set(model.kind, model);
    };
    const last = name.slice(name.lastIndexOf('.') + 1);
    for (const row of patterns)
      if ((row.last === undefined || row.last === last) && row.pattern.test(name)) add(row.model);
    // Every suffix of the name: a row for any receiver matches `a.b.execute` by `execute`.
    for (let at = 0; ; at = name.indexOf('.', at) + 1) {
      for (const model of methods.get(name.slice(at))?.values() ?? []) add(model);
      if (!name.includes('.', at)) break;
    }
    if (known.size >= maxNames) known.clear();
    known.set(name, found);
    return found;
  };
  return {
    find: (kind, name) => matchesOf(name).get(kind),
    startsWithPackage: (kind, name) => {
      for (const { index } of name.matchAll(/[.(]/g)) if (packages.get(name.slice(0, index))?.has(kind)) return true;
      return false;
    },
  };
}
