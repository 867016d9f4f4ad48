import { pathSegments, containedBits, isSeparator, pathBits } from '../checks/containment.js';
import {
  allSafe,
  anyPath,
  danger,
  joinFacts,
  mergeTaints,
  taintsIn,
  unsafeTaints,
  markSafe,
  type DerivedKey,
  type Fact,
  type Taint,
} from '../facts/facts.js';
import { safeByRemoval } from '../checks/charset.js';
import { safeQuotes } from '../checks/quoting.js';
import { binaryFact, elementOf, tableListing } from '../facts/combine.js';
import { lastSegment } from '../facts/qualified-names.js';
import { withoutAliases } from '../facts/sites.js';
import { constant, listValue, type Value } from '../../evaluate/values/values.js';
import { isModelled, modelOf } from './models.js';
import { knownText } from './query-sinks.js';
import type { CallSite } from './sinks.js';

/** Argument index that addresses the receiver. */
export const receiverIndex = -1;

const joinsPath = /^pathlib\..*\.joinpath$/;

/** Transfer function of an external call: taints and proofs of its result, from the model tables. */
export function transfer(call: CallSite, keyOfArg: (at: number) => string | undefined): Fact {
  const { name, args, named, receiver } = call;
  const result: Fact = { taints: [], name: `${name.startsWith('?.') ? '' : name}()` };
  if (isModelled('same-statement', name) && args[0]) return { ...args[0], name: result.name };
  if (joinsPath.test(name) && receiver && taintsIn(receiver).length === 0 && args.length > 0)
    return {
      ...args.reduce((path, part) => binaryFact('/', path, part), receiver),
      ...derivedKeys(args, keyOfArg, pathBits),
    };
  if (isModelled('scalar', name)) return withDerivedKeys(result, call, keyOfArg, 0);
  const given = mergeTaints(...args.map((arg) => taintsIn(arg)), ...[...named.values()].map((arg) => taintsIn(arg)));
  const table = /^Object\.(?:keys|entries|values)$/.test(name) ? args[0] : receiver;
  const pairs = listedPart(lastSegment(name));
  const parts = table && pairs && tableListing(table, pairs);
  if (parts) return { ...result, ...parts };
  const known = table && tableItems(table, lastSegment(name));
  if (known) return { ...result, value: known };
  const clean = modelOf('sanitizer', name)?.safe;
  if (name === 'urllib.parse.quote' && call.textOf(named.get('safe')) === '')
    return { ...result, taints: markSafe(given, danger.url | anyPath | danger.command) };
  // Decoding invalidates earlier proofs: `%2e%2e%2f` passes a check for `../`.
  if (isModelled('decoder', name)) return { ...result, taints: given.map((taint) => ({ ...taint, safe: 0 })) };
  if (clean !== undefined && !isModelled('resolves-address', name))
    return { ...result, taints: markSafe(given, clean) };
  if (name === 're.sub' || name === 're.subn')
    return {
      ...result,
      taints: markSafe(
        mergeTaints(args[1]?.taints ?? [], args[2]?.taints ?? []),
        safeByRemoval(call.textOf(args[0]) ?? args[0]?.name ?? '', ''),
      ),
    };
  if (isModelled('deep-copy', name) && args[0]?.fields) return withoutAliases({ ...args[0], name: result.name });
  if (isModelled('returns-argument', name) && args[0]) return args[0];
  if (name === 'next' && args[0]?.fields) return args[1] ? joinFacts(elementOf(args[0]), args[1]) : elementOf(args[0]);
  if (isModelled('splits-command-line', name) && args[0])
    return splitCommandLine(result, args[0]) ?? { ...result, taints: given };
  if (isModelled('parses-url', name)) return { ...result, taints: given, ...derivedKeys(args, keyOfArg, danger.url) };
  if (isModelled('resolves-address', name))
    return { ...result, taints: markSafe(given, clean ?? 0), ...derivedKeys(args, keyOfArg, danger.url) };
  if (isModelled('compares-paths', name))
    return {
      ...result,
      taints: given,
      ...derivedKeys([...args, ...args.flatMap((arg) => [...(arg.fields?.values() ?? [])])], keyOfArg, pathBits),
      isResolved: true,
      isReal: haveSymlinksResolved(args),
    };
  const normalizes = isModelled('normalizes-path', name);
  if (normalizes || isModelled('builds-path', name)) {
    const isSame = args.length === 1 && args[0]?.isResolved === true && args[0].taints.length > 0;
    // An absolute path cannot begin with a dash.
    const joined = markSafe(joinedPathTaints(name, args), normalizes && !/norm/.test(name) ? danger.argument : 0);
    const spelled =
      joined.length === 0
        ? args
            .map(knownText)
            .filter((part) => part !== '')
            .join('/')
        : '';
    // Joined to a folder the code chose: that folder is the intended boundary.
    const behind =
      args.length > 1 && args[0] !== undefined && taintsIn(args[0]).length === 0 && !isUserFolder(args[0])
        ? { lead: true as const }
        : args.length === 1
          ? { lead: args[0]?.lead, inFolder: args[0]?.inFolder }
          : {};
    return {
      ...result,
      taints: joined,
      tail: name.endsWith('dirname') ? undefined : args.at(-1)?.tail,
      ...behind,
      ...(spelled === '' ? {} : { value: { kind: 'text', parts: [spelled] } }),
      ...derivedKeys(args, keyOfArg, name === 'str' || name === 'String' ? allSafe : pathBits),
      isResolved: normalizes || isSame,
      isReal: isModelled('resolves-links', name) || (isSame && args[0]?.isReal === true),
      isClosed: args.length > 1 && args.at(-1)?.value?.kind === 'constant' && call.textOf(args.at(-1)) === '',
    };
  }
  const method = lastSegment(name);
  // Matches of a pattern are substrings of the tainted string.
  if (finders.test(method) && isPattern(receiver)) return { ...result, taints: toSubstrings(given) };
  if (receiver && taintsIn(receiver).length > 0 && !name.startsWith('requests'))
    return methodTransfer(call, method, result, keyOfArg(receiverIndex));
  // An unknown schema returns its input unchanged.
  const parsed = /^(?:\?\.|zod\.|valibot\.).*\.(safeP|p)arse(?:Async)?$/.exec(name);
  if (parsed && args.length === 1) {
    const whole: Fact = { taints: given, fields: args[0]?.fields };
    return parsed[1] === 'p' ? { ...result, ...whole } : { taints: [], fields: new Map([['data', whole]]) };
  }
  if (isModelled('propagator', name) || call.isNew || /^[A-Z]\w+$/.test(method))
    return {
      ...result,
      taints: given,
      ...(args.length === 1 && args[0]?.fields && !/json|JSON/.test(name) ? { fields: args[0].fields } : {}),
    };
  return result;
}

const finders = /^(?:exec|match|fullmatch|search|findall|finditer|split)$/;
const isPattern = (receiver: Fact | undefined): boolean =>
  receiver?.name === 're.compile()' || (receiver?.name?.startsWith('/') === true && receiver.taints.length === 0);
const toSubstrings = (taints: readonly Taint[]): readonly Taint[] =>
  taints.map((taint) => ({ ...taint, whole: false }));

/** What a method lists of a table. */
function listedPart(method: string): 'keys' | 'values' | 'pairs' | undefined {
  const part = modelOf('lists-table', method)?.out;
  return part === 'keys' || part === 'values' || part === 'pairs' ? part : undefined;
}

const maxTable = 60;

/** `values()` and `items()` of a constant table. */
function tableItems({ value, fields, taints }: Fact, how: string): Value | undefined {
  if (value?.kind !== 'object' || value.cls || value.collection || fields || taints.length > 0) return undefined;
  if (value.props.size === 0 || value.props.size > maxTable) return undefined;
  if (how === 'values') return listValue([...value.props.values()], value.open);
  return how === 'items'
    ? listValue(
        [...value.props].map(([key, item]) => listValue([constant(key), item])),
        value.open,
      )
    : undefined;
}

/** Whether symbolic links were resolved in every tainted path. */
const haveSymlinksResolved = (args: readonly Fact[]): boolean =>
  args
    .flatMap((arg) => [arg, ...(arg.fields?.values() ?? [])])
    .every((arg) => arg.isReal === true || arg.taints.length === 0);

/** Home or working directory: joining to it makes a path absolute but expresses no boundary. */
export const isUserFolder = (fact: Fact): boolean =>
  /^(?:os\.homedir|process\.cwd|os\.getcwd|os\.path\.expanduser|pathlib\.Path\.(?:cwd|home))\(\)$/.test(
    fact.name ?? '',
  );

/** Whether the first part of a join is fixed or already proved contained. */
const isFixedFolder = (first: Fact | undefined): boolean =>
  first !== undefined && (first.isResolved === true || unsafeTaints(first.taints, anyPath).length === 0);

/** Taints of a joined path. In JavaScript, `path.join` treats an absolute second part as relative, so only `..` remains dangerous. */
function joinedPathTaints(name: string, args: readonly Fact[]) {
  const lists = args.map((arg, at) => {
    const behind = at > 0 && (name === 'path.join' || name === 'path.posix.join') && isFixedFolder(args[0]);
    return behind ? markSafe(taintsIn(arg), danger.pathAbsolute) : taintsIn(arg);
  });
  const merged = mergeTaints(...lists);
  return args.length > 1 ? merged.map((taint) => ({ ...taint, whole: false })) : merged;
}

function derivedKeys(
  args: readonly Fact[],
  keyOfArg: (at: number) => string | undefined,
  kinds: number,
): { from?: readonly DerivedKey[] } {
  const found: DerivedKey[] = [];
  args.forEach((arg, at) => {
    if (taintsIn(arg).length === 0) return;
    const key = keyOfArg(at);
    if (key !== undefined) found.push({ key, kinds });
    for (const each of arg.from ?? [])
      if ((each.kinds & kinds) !== 0) found.push({ key: each.key, kinds: each.kinds & kinds });
  });
  return found.length > 0 ? { from: found } : {};
}

const withDerivedKeys = (
  result: Fact,
  call: CallSite,
  keyOfArg: (at: number) => string | undefined,
  kinds: number,
): Fact => ({
  ...result,
  ...derivedKeys(call.args, keyOfArg, kinds),
});

/** Splits a command line at spaces: a constant first word is the program, only the following words are tainted. */
function splitCommandLine(result: Fact, line: Fact): Fact | undefined {
  const front =
    typeof line.lead === 'string'
      ? line.lead
      : line.lead === true && line.value?.kind === 'text'
        ? line.value.parts
            .slice(0, 2)
            .map((part) => (typeof part === 'string' ? part : '?'))
            .join('')
        : '';
  const [program, rest] = front.trimStart().split(/\s/, 2);
  if (program === undefined || rest === undefined) return undefined;
  return {
    ...result,
    taints: [],
    fields: new Map([
      ['0', { taints: [], value: { kind: 'constant', value: program } }],
      ['*', { taints: taintsIn(line).map((taint) => ({ ...taint, whole: false })) }],
    ]),
  };
}

/** A single character as a regular expression. */
const toPattern = (text: string): string => (text.length === 1 ? `\\${text}` : '');

/** Dangers ruled out by replacing `..` or `/` in a path. */
function safeByPathReplace(text: string | undefined, replacement: string | undefined): number {
  if (replacement === undefined) return 0;
  if (text === '..') return replacement.includes('.') ? 0 : danger.pathUp;
  return text === '/' && !/[/\\]/.test(replacement) ? anyPath : 0;
}

/** Transfer function of a method on a tainted receiver: tainted result, unless the method only inspects the string. */
function methodTransfer(call: CallSite, method: string, result: Fact, key: string | undefined): Fact {
  const { receiver, args } = call;
  if (!receiver || isModelled('inspecting-method', method)) return result;
  const taints = taintsIn(receiver);
  if (method === 'split' && (args.length === 0 || call.textOf(args[0]) === ' '))
    return splitCommandLine(result, receiver) ?? { ...result, taints, from: receiver.from };
  if (/^r?split$/.test(method) && isSeparator(args[0], call.textOf(args[0]))) {
    // If no segment equals `..`, the whole path does not traverse.
    const steps = [...(receiver.from ?? []).map((from) => from.key), ...(key === undefined ? [] : [key])];
    return { ...result, name: pathSegments, taints, from: steps.map((each) => ({ key: each, kinds: danger.pathUp })) };
  }
  if (receiver.name === pathSegments && /^(?:pop|shift|at)$/.test(method))
    return { ...result, taints: markSafe(taints, anyPath), from: receiver.from };
  if (isModelled('lists-archive', method))
    return { ...result, taints: taints.map((taint) => ({ ...taint, safe: 0, whole: false, inArchive: true })) };
  if (method === 'resolve' || method === 'absolute')
    return {
      ...result,
      name: 'pathlib.Path()',
      taints,
      // A check of the resolved path also proves the original.
      from: [...(receiver.from ?? []), ...(key === undefined ? [] : [{ key, kinds: pathBits }])],
      lead: receiver.lead,
      inFolder: receiver.inFolder,
      tail: receiver.tail,
      isResolved: method === 'resolve',
      isReal: method === 'resolve',
    };
  if (method === 'joinpath' || method === 'with_name' || method === 'with_suffix' || method === 'expanduser')
    return {
      ...result,
      name: 'pathlib.Path()',
      taints: mergeTaints(taints, ...args.map((arg) => arg.taints)),
      from: receiver.from,
      lead: receiver.lead,
    };
  if (method === 'replace' || method === 'replaceAll') {
    const source = call.args[0]?.name?.startsWith('/') ? call.args[0].name : '';
    const cut = source.lastIndexOf('/');
    const isAll =
      source.slice(cut + 1).includes('g') || method === 'replaceAll' || (call.language === 'python' && source === '');
    // `normalize(x).replace(/^(\.\.\/)+/, '')`: a normalised path has `..` at the front only.
    const isCut = receiver.name === 'path.normalize()' && /^\^\(*(?:\?:)?\\\.\\\./.test(source.slice(1, cut));
    if (!isAll) return { ...result, taints: isCut ? markSafe(taints, danger.pathUp) : taints, lead: receiver.lead };
    const safe =
      source === ''
        ? safeByPathReplace(call.textOf(args[0]), call.textOf(args[1]))
        : safeByRemoval(source.slice(1, cut), source.slice(cut + 1));
    const [pattern, replacement] = [
      source === '' ? toPattern(call.textOf(args[0]) ?? '') : source.slice(1, cut),
      call.textOf(args[1]),
    ];
    return {
      ...result,
      taints: taints.map((taint) => ({
        ...taint,
        safe: taint.safe | safe | safeQuotes(pattern, replacement, taint.safe),
      })),
      lead: receiver.lead,
    };
  }
  if (method === 'relative_to')
    return {
      ...result,
      name: 'pathlib.Path()',
      taints: markSafe(taints, containedBits(receiver)),
      from: receiver.from,
    };
  return {
    ...result,
    name: /^(?:get|pop|copy)$/.test(method) ? undefined : result.name,
    taints,
    lead: isModelled('text-method', method) ? receiver.lead : undefined,
    ...(isModelled('text-method', method)
      ? { isResolved: receiver.isResolved, isReal: receiver.isReal, value: receiver.value }
      : {}),
    from: receiver.from,
  };
}
